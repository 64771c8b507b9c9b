-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX merchants_sealed_by_idx ON merchants (rules.sealed_by(identity_secret));
