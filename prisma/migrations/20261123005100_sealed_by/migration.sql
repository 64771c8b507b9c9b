-- The id of the key that a secret was sealed with: empty for the forms without one, null for what is not sealed. The
-- indexes answer at the start of every process which keys the stored secrets need.
CREATE FUNCTION "rules"."sealed_by"(sealed text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT CASE WHEN sealed LIKE 'v3.%' THEN split_part(sealed, '.', 2) WHEN sealed LIKE 'v_.%' THEN '' END $$;

CREATE INDEX "merchants_sealed_by_idx" ON "merchants" ("rules"."sealed_by"("identity_secret"));

CREATE INDEX "signing_keys_sealed_by_idx" ON "signing_keys" ("rules"."sealed_by"("secret"));
