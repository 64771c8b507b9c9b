/** The tables that are filled, in the order in which they are filled. */
export interface FillStatement {
  table: string;
  /**
   * Inserts the rows of orders $1 to $2 (exclusive). $3 all orders, $4 the time of the last one, $5 ids of merchants, $6 ids of
   * endpoints (two for each merchant), $7 orders of members with 1,000 orders.
   */
  sql: string;
}

/** Days over which the orders are spread, until now. */
export const days = 30;
/** The merchants. Each fifth order belongs to the first one, the others to 80 more; the rest has none or few. */
export const merchantCount = 100;
export const largeMerchant = 0;
export const mediumMerchant = 1;
/** Has one order in 100,000, and none of the newer half. */
export const smallMerchant = 5;
/** Orders of one member of the large merchant with the most orders. */
export const heavyMemberOrders = 1_000;
export const heavyMember = (number: number): string => `heavy-${number}`;

const hash = (text: string, length: number) => `substr(md5(${text}), 1, ${length})`;

/*
 * Ids are spread at random, as ids that merchants make of random numbers and those that are derived from a hash: the indexes
 * have the worst order, and an id that starts with a later letter grows at the end of its merchant's range.
 *
 * A member has four orders; those of the large merchant's first members have 1,000. Every other member is a referee, whose first
 * order earned a reward for both sides, as did that of every member with 1,000 orders: of 8 orders, 4 have a decision, and
 * there are 2 rewards and events, 4 deliveries to two endpoints, and 8 attempts, of which the first ones failed. All is done:
 * nothing is due.
 */
const orders = `generate_series($1::bigint, $2::bigint - 1) AS i
  CROSS JOIN LATERAL (SELECT
    CASE WHEN i % 100000 = ${smallMerchant} AND i < $3::bigint / 2 THEN ${smallMerchant}
      WHEN i % 5 = 0 THEN ${largeMerchant} ELSE (i % ${merchantCount})::int END AS m,
    CASE WHEN i % 5 = 0 THEN i / 5 ELSE i / ${merchantCount} END AS j,
    $4::timestamptz - interval '${days} days' + (i / $3::float8) * interval '${days} days' AS at,
    cardinality($6::text[]) AS endpoints OFFSET 0) numbered
  CROSS JOIN LATERAL (SELECT m = ${largeMerchant} AND j < $7::bigint AS heavy OFFSET 0) weighed
  CROSS JOIN LATERAL (SELECT
    CASE WHEN heavy THEN 'heavy-' || j / ${heavyMemberOrders} ELSE 'm-' || ${hash(`m || '-' || j / 4`, 14)} END AS member,
    'referrer-' || m || '-' || j / 40 AS referrer,
    ${hash(`'o' || i`, 16)} AS order_id,
    heavy OR (j / 4) % 2 = 0 AS is_referee,
    CASE WHEN heavy THEN j % ${heavyMemberOrders} = 0 ELSE j % 4 = 0 END AS is_first,
    ($5::text[])[m + 1] AS merchant OFFSET 0) named
  CROSS JOIN LATERAL (SELECT 'ref_' || ${hash(`merchant || member`, 22)} AS referral OFFSET 0) referred`;

const rewarded = `${orders}
  CROSS JOIN (VALUES ('referee', 0), ('referrer', 1)) AS role (name, number)
  CROSS JOIN LATERAL (SELECT 'rew_' || ${hash(`'rew' || i || role.name`, 22)} AS reward,
    'evt_' || ${hash(`'evt' || i || role.name`, 22)} AS event OFFSET 0) identified
  WHERE is_referee AND is_first`;

const sent = rewarded.replace(
  'WHERE',
  `CROSS JOIN (VALUES (1), (2)) AS sent (endpoint)
  CROSS JOIN LATERAL (SELECT md5('del' || i || role.name || endpoint)::uuid AS delivery,
    ($6::text[])[m * 2 + endpoint] AS endpoint_id OFFSET 0) delivered
  WHERE`,
);

export const fillStatements: FillStatement[] = [
  {
    table: 'orders',
    sql: `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount, order_date,
       first_order, paid_at, items, versions, created_at, updated_at)
     SELECT merchant, order_id, i + 1, member, 30000, 33000, 3000, at, is_first, at,
       '[{"product_id": "P-101", "product_name": "초록 tea no. 101, 100 g", "quantity": 1, "price": 20000, "paid_amount": 20000,
          "sku": "TEA-101", "cancelled_at": null},
         {"product_id": "P-999", "product_name": "초록 tea no. 999, 100 g", "quantity": 1, "price": 10000, "paid_amount": 10000,
          "sku": "TEA-999", "cancelled_at": null}]'::jsonb,
       ARRAY[i + 1], at, at
     FROM ${orders}`,
  },
  {
    table: 'members',
    sql: `INSERT INTO members (merchant_id, member_id, code, look_alike, created_at)
     SELECT merchant, name, upper(${hash('merchant || name', 12)}), sha256(convert_to(name, 'UTF8')), at
     FROM ${orders}
     CROSS JOIN LATERAL (
       SELECT member WHERE is_first UNION ALL SELECT referrer WHERE is_first AND NOT heavy AND j % 40 = 0
     ) AS named_too (name)`,
  },
  {
    table: 'referrals',
    sql: `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, linked_at,
       orders_enqueued_at)
     SELECT merchant, referral, member, referrer, upper(${hash('merchant || referrer', 12)}), 'link', at, at
     FROM ${orders} WHERE is_referee AND is_first`,
  },
  {
    table: 'decisions',
    sql: `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version, outcome,
       reason, checks, created_at)
     SELECT merchant, order_id, 1, i + 1, member, referral, 1,
       CASE WHEN is_first THEN 'rewarded' ELSE 'no_reward' END,
       CASE WHEN is_first THEN 'rewarded' ELSE 'not_first_order' END,
       '[["paid", true, true, true], ["min_paid_amount", 33000, 0, true], ["first_order", true, true, true]]', at
     FROM ${orders} WHERE is_referee`,
  },
  {
    table: 'rewards',
    sql: `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id, type,
       amount, unit, state, created_at, month, confirmed_at, issue_notified)
     SELECT merchant, reward, 'prg_' || merchant, 1, referral, 'referral:' || referral, role.name,
       CASE role.name WHEN 'referee' THEN member ELSE referrer END, order_id, 'points', 1000, 'points',
       'confirmed', at, '2026-11', at, true
     FROM ${rewarded}`,
  },
  {
    table: 'events',
    sql: `INSERT INTO events (merchant_id, id, type, reward_id, body, created_at, sequence, position)
     SELECT merchant, event, 'reward.issue', reward, format(
         '{"id":"%s","type":"reward.issue","created_at":"2026-11-22T00:00:00.000000Z","data":{"reward":{"id":"%s","type":"points",'
         '"amount":1000,"unit":"points"},"member_id":"%s","role":"%s","referral":{"id":"%s","code":"ABCDEF123456",'
         '"referrer_member_id":"%s","referee_member_id":"%s","linked_at":"2026-11-22T00:00:00.000000Z"},"order":{"order_id":"%s",'
         '"order_date":"2026-11-22T00:00:00.000000Z","paid_at":"2026-11-22T00:00:00.000000Z","order_amount":30000,'
         '"paid_amount":33000,"shipping_amount":3000},"program":{"id":"prg_%s","version":1}}}',
         event, reward, CASE role.name WHEN 'referee' THEN member ELSE referrer END, role.name, referral, referrer, member,
         order_id, substr(merchant, 5)), at,
       i * 2 + role.number, i * 2 + role.number
     FROM ${rewarded}`,
  },
  {
    table: 'deliveries',
    sql: `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, attempts_made, schedule_step,
       next_attempt_at, created_at, finished_at)
     SELECT delivery, merchant, event, at, endpoint_id,
       CASE WHEN i % 10000 < 4 THEN 'exhausted' ELSE 'delivered' END, 2, 2, NULL, at, at + interval '5 s'
     FROM ${sent}`,
  },
  {
    table: 'attempts',
    sql: `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, timings, response_body,
       request_headers)
     SELECT delivery, attempt.number, merchant, endpoint_id, at + (attempt.number - 1) * interval '5 s', 'https://shop.example/hook',
       CASE attempt.number WHEN 1 THEN 503 ELSE 200 END, '{"totalMs": 42, "connectMs": 10}', 'ok',
       '{"content-type": "application/json", "x-service-attempt": "1"}'
     FROM ${sent.replace('WHERE', 'CROSS JOIN (VALUES (1), (2)) AS attempt (number) WHERE')}`,
  },
];
