-- In the database, so that it holds for every statement that inserts these rows. Rows of live merchants cost a
-- comparison.
CREATE OR REPLACE TRIGGER members_of_test_side BEFORE INSERT ON members
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION rules.write_test_data();
