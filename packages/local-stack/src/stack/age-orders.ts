import { Client } from 'pg';

// One row for each stored version of an order: `since` is when the version arrived, and `moved` the interval by which it is
// moved. The first version arrives when the order is placed and paid, the last version of a cancelled or returned order when
// that happens, and any other with its original distance from the first one.
const findVersions = `
  CREATE TEMP TABLE aged ON COMMIT DROP AS
  WITH stamps AS (
    SELECT o.order_id, stamp.number, timestamptz 'epoch' + stamp.version * interval '1 microsecond' AS since,
      stamp.number = cardinality(o.versions) AS newest, greatest(o.order_date, o.paid_at) AS placed,
      coalesce(o.returned_at, o.cancelled_at) AS undone
    FROM orders o CROSS JOIN LATERAL unnest(o.versions) WITH ORDINALITY AS stamp (version, number)
    WHERE o.merchant_id = $1 AND o.created_at > o.order_date
  ), first AS (SELECT order_id, since - placed AS moved FROM stamps WHERE number = 1)
  SELECT s.order_id, s.since,
    CASE WHEN s.number > 1 AND s.newest AND s.undone IS NOT NULL
      THEN least(first.moved, s.since - s.undone) ELSE first.moved END AS moved
  FROM stamps s JOIN first USING (order_id)`;

/** Functions that return the moved time, or the moved version, of a row that belongs to an order. */
const moveInto = `
  CREATE FUNCTION pg_temp.in_the_past(order_id text, at timestamptz) RETURNS timestamptz LANGUAGE sql AS $$
    SELECT $2 - coalesce(
      (SELECT a.moved FROM aged a WHERE a.order_id = $1 AND a.since <= $2 ORDER BY a.since DESC LIMIT 1),
      (SELECT a.moved FROM aged a WHERE a.order_id = $1 ORDER BY a.since LIMIT 1), '0')
  $$;
  CREATE FUNCTION pg_temp.version_in_the_past(order_id text, version bigint) RETURNS bigint LANGUAGE sql AS $$
    SELECT (extract(epoch FROM pg_temp.in_the_past($1, timestamptz 'epoch' + $2 * interval '1 microsecond')) * 1000000)::bigint
  $$`;

/** The events of orders, and their successful deliveries. Pending deliveries are not moved. */
const ofEvents = `events e JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id
  JOIN aged_orders o ON o.order_id = w.order_id AND w.merchant_id = $1`;
const ofDeliveries = `deliveries d JOIN ${ofEvents} ON d.merchant_id = e.merchant_id AND d.event_id = e.id
  WHERE d.state = 'delivered'`;

/** The statements that move the rows of one table: its time columns, the join that finds the order of a row, and its other columns. */
const moves: string[] = [
  move(
    'attempts',
    ['started_at'],
    `(SELECT d.id, o.order_id FROM ${ofDeliveries}) x WHERE t.delivery_id = x.id`,
  ),
  move(
    'deliveries',
    ['created_at', 'finished_at', 'last_attempt_at'],
    `(SELECT d.id, o.order_id FROM ${ofDeliveries}) x WHERE t.id = x.id`,
  ),
  move(
    'events',
    ['created_at'],
    `(SELECT e.id, o.order_id FROM ${ofEvents}) x WHERE t.merchant_id = $1 AND t.id = x.id`,
  ),
  ...[
    move(
      'rewards',
      ['created_at', 'confirmed_at', 'ended_at', 'confirm_due_at'],
      'aged_orders x WHERE true',
      [
        // As far as its confirmation, which it follows by a number of days.
        'expires_at = t.expires_at - (t.confirmed_at - pg_temp.in_the_past(x.order_id, t.confirmed_at))',
      ],
    ),
    move('decisions', ['created_at'], 'aged_orders x WHERE true', [moveVersion('order_version')]),
    move('orders', ['created_at', 'updated_at'], 'aged_orders x WHERE true', [
      moveVersion('version'),
      `versions = ARRAY(SELECT pg_temp.version_in_the_past(x.order_id, stamp.version)
         FROM unnest(t.versions) WITH ORDINALITY AS stamp (version, number) ORDER BY number)`,
    ]),
  ].map((sql) => `${sql} AND t.merchant_id = $1 AND t.order_id = x.order_id`),
];

function move(table: string, times: string[], from: string, others: string[] = []): string {
  const set = [...times.map((time) => `${time} = pg_temp.in_the_past(x.order_id, t.${time})`), ...others];
  return `UPDATE ${table} t SET ${set.join(', ')} FROM ${from}`;
}

function moveVersion(column: string): string {
  return `${column} = pg_temp.version_in_the_past(x.order_id, t.${column})`;
}

/** A delivery finds its event by the time of the event, also a pending one. */
const followEvents = `UPDATE deliveries d SET event_created_at = e.created_at
  FROM events e WHERE d.merchant_id = $1 AND e.merchant_id = $1 AND e.id = d.event_id`;

/** Members are created and linked an hour before the first order of the referee. */
const moveLinks = [
  `UPDATE referrals r SET linked_at = least(r.linked_at, (
     SELECT min(o.order_date) - interval '1 hour' FROM orders o JOIN aged_orders USING (order_id)
     WHERE o.merchant_id = r.merchant_id AND o.member_id = r.referee_member_id))
   WHERE r.merchant_id = $1`,
  `UPDATE members m SET created_at = least(m.created_at, (
     SELECT min(r.linked_at) FROM referrals r WHERE r.merchant_id = m.merchant_id
       AND (r.referee_member_id = m.member_id OR r.referrer_member_id = m.member_id)))
   WHERE m.merchant_id = $1`,
];

/**
 * Moves the rows of a merchant's orders back to the times at which the orders were placed, paid, cancelled and
 * returned, as if their versions had arrived then. A demo needs past orders, which cannot be sent to the API with
 * their times of arrival. Pending deliveries and the bodies of events are not changed.
 */
export async function ageOrders(databaseUrl: string, merchantId: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(findVersions, [merchantId]);
    await client.query('CREATE INDEX ON aged (order_id, since)');
    await client.query('CREATE TEMP TABLE aged_orders ON COMMIT DROP AS SELECT DISTINCT order_id FROM aged');
    await client.query(moveInto);
    for (const sql of [...moves, followEvents, ...moveLinks]) await client.query(sql, [merchantId]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
