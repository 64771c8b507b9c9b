-- Few rows that change often: a page keeps room for new versions, and is vacuumed by the number of dead rows.
ALTER TABLE endpoints SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);

-- Prisma has no generated columns.
ALTER TABLE endpoints
  DROP COLUMN sendable,
  DROP COLUMN holds_deliveries,
  ADD COLUMN sendable boolean NOT NULL GENERATED ALWAYS AS (
    deleted_at IS NULL AND disabled_at IS NULL AND paused_at IS NULL AND parked_at IS NULL AND operator_paused_at IS NULL) STORED,
  ADD COLUMN holds_deliveries boolean NOT NULL GENERATED ALWAYS AS (disabled_at IS NOT NULL OR paused_at IS NOT NULL) STORED;
