-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX signing_keys_sealed_by_idx ON signing_keys (rules.sealed_by(secret));
