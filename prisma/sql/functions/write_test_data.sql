-- The trigger of tables with data of test sides: waits for the last step of a deletion of test data.
CREATE OR REPLACE FUNCTION rules.write_test_data()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM rules.share_test_data(NEW.merchant_id);
  RETURN NEW;
END
$$;
