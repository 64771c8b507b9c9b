-- On an expression, with a class of operators: finds orders by the start of their id in any case, in the order of the id, whatever the
-- collation. Another one of `orders` costs each stored order: see docs/decisions/106-search.md.
CREATE INDEX orders_merchant_id_order_id_prefix_idx ON orders (merchant_id, lower(order_id) text_pattern_ops);
