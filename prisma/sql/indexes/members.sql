-- With a class of operators: finds members by the start of their id, also where the collation does not compare texts by their bytes.
CREATE INDEX members_merchant_id_member_id_prefix_idx ON members (merchant_id, member_id text_pattern_ops);
