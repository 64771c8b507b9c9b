-- Partial, which Prisma cannot express. Finds the requests with warnings, which few have, in the order of the list.
CREATE INDEX requests_warnings_idx ON requests (merchant_id, at, id) WHERE warnings <> '{}';
