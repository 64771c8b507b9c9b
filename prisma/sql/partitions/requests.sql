-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
PARTITION BY RANGE (at);

-- Rows of days that have no partition.
CREATE TABLE requests_default PARTITION OF requests DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('requests', yesterday + number, yesterday + number + 1)
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 8) AS number;
