-- Moves those of these orders whose member is an alias to the member that it stands for, and returns the members of all of them,
-- in the same order. In the database as a part of store_orders, and a function of its own because its plan needs settings of its
-- own, as that of enqueue_stored_orders. The alias is locked, because an erasure forgets it: either the erasure finds the order under
-- the member, or the order has a new member.
CREATE OR REPLACE FUNCTION rules.resolve_aliases(merchants text[], orders text[], members text[])
RETURNS text[]
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  resolved text[];
BEGIN
  WITH stored AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members) WITH ORDINALITY
      AS s (merchant_id, order_id, member_id, number)
  ), aliases AS MATERIALIZED (
    SELECT m.merchant_id, m.member_id AS alias_id, a.member_id
    FROM (SELECT DISTINCT merchant_id, member_id FROM stored) m
    CROSS JOIN LATERAL (
      SELECT * FROM member_aliases
      WHERE merchant_id = m.merchant_id AND alias_id >= m.member_id AND alias_id <= m.member_id
      ORDER BY alias_id OFFSET 0 FOR KEY SHARE) a
  ), found AS MATERIALIZED (
    SELECT s.number, s.merchant_id, s.order_id, a.alias_id, a.member_id
    FROM aliases a JOIN stored s ON s.merchant_id = a.merchant_id AND s.member_id = a.alias_id
  ), moved AS (
    UPDATE orders o SET member_id = f.member_id, sent_member_id = f.alias_id
    FROM (
      SELECT found.*, stored_order.row FROM found
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM orders
        WHERE merchant_id = found.merchant_id AND order_id >= found.order_id AND order_id <= found.order_id
        ORDER BY order_id OFFSET 0) stored_order) f
    WHERE o.ctid = f.row
  )
  SELECT array_agg(coalesce(f.member_id, s.member_id) ORDER BY s.number)
  INTO resolved FROM stored s LEFT JOIN found f ON f.number = s.number;
  RETURN resolved;
END
$$;
