CREATE TABLE orders (
  order_id text PRIMARY KEY,
  member_id text NOT NULL,
  order_amount bigint NOT NULL,
  paid_amount bigint NOT NULL,
  shipping_amount bigint NOT NULL,
  order_date timestamptz NOT NULL,
  first_order boolean NOT NULL,
  paid_at timestamptz,
  cancelled_at timestamptz,
  returned_at timestamptz,
  currency text,
  updated_at timestamptz
);
CREATE INDEX ON orders (member_id);

CREATE TABLE items (
  id serial PRIMARY KEY,
  order_id text NOT NULL REFERENCES orders ON DELETE CASCADE,
  product_id text NOT NULL,
  product_name text NOT NULL,
  quantity int NOT NULL,
  price bigint NOT NULL,
  paid_amount bigint NOT NULL,
  sku text NOT NULL,
  cancelled_at timestamptz
);
CREATE INDEX ON items (order_id);
