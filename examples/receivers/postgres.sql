CREATE TABLE handled_events (key text PRIMARY KEY); -- the event type and the reward's id
CREATE TABLE balances (member_id text PRIMARY KEY, points bigint NOT NULL);
