-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
PARTITION BY RANGE (started_at);

-- Rows of days that have no partition.
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('attempts', yesterday + 3 * number, yesterday + 3 * (number + 1))
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 3) AS number;
