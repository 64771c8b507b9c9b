-- On an expression: finds the deliveries whose last attempt was not answered with 2xx by the class of its status, 0 without a response. It has
-- no row of a delivery that succeeded at once, so it costs these nothing.
CREATE INDEX deliveries_failed_answer_idx ON deliveries (merchant_id, (coalesce(last_status, 0) / 100), created_at, id)
  WHERE last_attempt_at IS NOT NULL AND (last_status IS NULL OR last_status NOT BETWEEN 200 AND 299);
