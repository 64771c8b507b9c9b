-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX former_identity_secrets_sealed_by_idx ON former_identity_secrets (rules.sealed_by(secret));
