-- Finds the attempts of all merchants in a minute: they are inserted in the order of their times. New pages are summarized at once, because
-- a scan reads all pages that are not.
CREATE INDEX attempts_started_at_idx ON attempts USING brin (started_at) WITH (autosummarize = on);
