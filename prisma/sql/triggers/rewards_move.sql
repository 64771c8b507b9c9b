-- In the database: see the function.
CREATE OR REPLACE TRIGGER rewards_move BEFORE UPDATE ON rewards
  FOR EACH ROW EXECUTE FUNCTION rules.rewards_move();
