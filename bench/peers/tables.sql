-- What the workers of the peers store of each attempt. Fewer columns and indexes than the service's own table.
CREATE SCHEMA peers;
CREATE TABLE peers.attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id text NOT NULL,
  endpoint_id text NOT NULL,
  number int NOT NULL,
  due_at timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms int NOT NULL,
  status int,
  error text,
  response_body text
);
