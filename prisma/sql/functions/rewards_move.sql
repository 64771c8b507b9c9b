-- Allows only the transitions of the state of a reward. What was given, and to whom, never changes, except that the amount of
-- a pending reward follows its order, that the erasure of a member replaces their id, and that a merge gives it to the member
-- that an alias stands for: the id that the merchant was notified of stays. In the database, so that no statement and no person can
-- change what a member is due.
CREATE OR REPLACE FUNCTION rules.rewards_move()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (
    ('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'revoked')) THEN
    RAISE EXCEPTION 'a reward cannot move from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  IF (OLD.subject, OLD.role, OLD.order_id, OLD.rule, OLD.type, OLD.unit)
     IS DISTINCT FROM (NEW.subject, NEW.role, NEW.order_id, NEW.rule, NEW.type, NEW.unit)
     OR ((OLD.amount, OLD.month) IS DISTINCT FROM (NEW.amount, NEW.month)
       AND (OLD.state, NEW.state) <> ('pending', 'pending'))
     OR (OLD.member_id <> NEW.member_id AND (OLD.state <> NEW.state OR NEW.member_id NOT LIKE 'erased-%' AND NOT EXISTS (
       SELECT 1 FROM member_aliases a
       WHERE a.merchant_id = NEW.merchant_id AND a.alias_id = OLD.member_id AND a.member_id = NEW.member_id)))
     OR (OLD.confirmed_at IS NOT NULL
       AND coalesce(OLD.issued_member_id, OLD.member_id) <> coalesce(NEW.issued_member_id, NEW.member_id)
       AND coalesce(NEW.issued_member_id, NEW.member_id) NOT LIKE 'erased-%') THEN
    RAISE EXCEPTION 'the data of a reward cannot be changed' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;
