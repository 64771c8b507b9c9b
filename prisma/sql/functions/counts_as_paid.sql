-- Whether an order counts as paid: `countsAsPaid` of @rewardhook/rewards. In the database, because the statements that look for the
-- earliest paid order ask it in orders_paid_idx. That index has the condition written out, because PostgreSQL does not build an
-- index again when a function changes. Neither strict nor with settings, so that the planner replaces a call by the condition.
CREATE OR REPLACE FUNCTION rules.counts_as_paid(paid_at timestamptz, counts_as_paid_at timestamptz, cancelled_at timestamptz,
  returned_at timestamptz, items jsonb)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT paid_at IS NOT NULL AND counts_as_paid_at IS NULL AND cancelled_at IS NULL AND returned_at IS NULL
    AND (items = '[]' OR items @? '$[*] ? (!exists(@.cancelled_at ? (@ != null)))')
$$;
