-- As that of orders: finds members by the start of their id in any case.
CREATE INDEX members_merchant_id_member_id_prefix_idx ON members (merchant_id, lower(member_id) text_pattern_ops);
