import type { Pool } from 'pg';
import type { Sealer } from '@rewardhook/database';

/** Merchants of the database, each with one webhook. */
const merchants = 100;
/** Orders per statement. */
const chunk = 250_000;
/** Days over which the orders are spread, until now. */
const days = 30;

/*
 * The statements for orders $1 to $2 of $3, the last of which came at $4. Order i belongs to merchant i % 100, and a member has two orders. Every other
 * member is a referee, whose first order earned a reward for both sides: of 4 orders, 2 have a decision, and there are
 * 2 rewards, events, deliveries and attempts. All was done: nothing is due.
 */
const at = `($4::timestamptz - interval '${days} days' + (i / $3::float8) * interval '${days} days')`;
const merchant = `'mer_' || lpad((i % ${merchants})::text, 22, '0')`;
const endpoint = `'whk_' || lpad((i % ${merchants})::text, 22, '0')`;
const member = `'member-' || (i % ${merchants}) || '-' || (i / ${2 * merchants})`;
const referral = `'ref_' || lpad((i % ${merchants} + i / ${2 * merchants} * ${merchants})::text, 22, '0')`;
const isReferee = `(i / ${2 * merchants}) % 2 = 0`;
const isFirst = `(i / ${merchants}) % 2 = 0`;
const orders = `generate_series($1::bigint, $2::bigint - 1) AS i`;
const roles = `(VALUES ('referee', 0), ('referrer', 1)) AS role (name, number)`;
const rewarded = `FROM ${orders}, ${roles} WHERE ${isReferee} AND ${isFirst}`;
const numbered = (prefix: string) => `'${prefix}_' || lpad((i * 2 + role.number)::text, 22, '0')`;

const statements: [string, string][] = [
  [
    'orders',
    `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount, order_date,
       first_order, paid_at, items, versions, created_at, updated_at)
     SELECT ${merchant}, 'order-' || i, i + 1, ${member}, 30000, 30000, 3000, ${at}, ${isFirst}, ${at},
       jsonb_build_array(
         jsonb_build_object('product_id', 'p-' || i % 1000, 'product_name', 'Green tea of the first harvest', 'quantity', 1,
           'price', 20000, 'paid_amount', 20000, 'sku', 'sku-1', 'cancelled_at', null),
         jsonb_build_object('product_id', 'p-' || i % 999, 'product_name', 'Tea cup', 'quantity', 1,
           'price', 10000, 'paid_amount', 10000, 'sku', 'sku-2', 'cancelled_at', null)),
       ARRAY[i + 1], ${at}, ${at}
     FROM ${orders}`,
  ],
  [
    'referrals',
    `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, linked_at,
       orders_enqueued_at)
     SELECT ${merchant}, ${referral}, ${member}, 'referrer-' || i % 1000, 'CODE', 'link', ${at}, ${at}
     FROM ${orders} WHERE ${isReferee} AND ${isFirst}`,
  ],
  [
    'decisions',
    `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version, outcome,
       reason, checks, created_at)
     SELECT ${merchant}, 'order-' || i, 1, i + 1, ${member}, ${referral}, 1,
       CASE WHEN ${isFirst} THEN 'rewarded' ELSE 'no_reward' END, CASE WHEN ${isFirst} THEN 'rewarded' ELSE 'not_first_order' END,
       '[["paid", 1, 1, true], ["minimum", 30000, 0, true], ["first_order", 1, 1, true]]', ${at}
     FROM ${orders} WHERE ${isReferee}`,
  ],
  [
    'rewards',
    `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id, type,
       amount, unit, state, created_at, month, confirmed_at, issue_notified)
     SELECT ${merchant}, ${numbered('rew')}, 'prg_' || i % ${merchants}, 1, ${referral}, 'referral:' || ${referral}, role.name,
       CASE role.name WHEN 'referee' THEN ${member} ELSE 'referrer-' || i % 1000 END, 'order-' || i, 'points', 1000, 'points',
       'confirmed', ${at}, '2026-11', ${at}, true
     ${rewarded}`,
  ],
  [
    'events',
    `INSERT INTO events (merchant_id, id, type, reward_id, body, created_at, position)
     SELECT ${merchant}, ${numbered('evt')}, 'reward.issue', ${numbered('rew')}, repeat('{"data":"0123456789"}', 30), ${at},
       i * 2 + role.number
     ${rewarded}`,
  ],
  [
    'deliveries',
    `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, attempts_made, schedule_step,
       next_attempt_at, created_at, finished_at)
     SELECT lpad(to_hex(i * 2 + role.number), 32, '0')::uuid, ${merchant}, ${numbered('evt')}, ${at}, ${endpoint},
       CASE WHEN i % 10000 < 4 THEN 'exhausted' ELSE 'delivered' END, 1, 1, NULL, ${at}, ${at}
     ${rewarded}`,
  ],
  [
    'attempts',
    `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, timings, response_body,
       request_headers)
     SELECT lpad(to_hex(i * 2 + role.number), 32, '0')::uuid, 1, ${merchant}, ${endpoint}, ${at}, 'https://shop.example/hook',
       200, '{"total": 42, "connect": 10}', 'ok', '{"content-type": "application/json", "x-service-attempt": "1"}'
     ${rewarded}`,
  ],
];

/**
 * Fills a migrated, empty database, over a pool of connections, as if `total` orders had passed through the system in the last 30 days. The sequence
 * of each order is kept, so that the newest rows are at the end of their tables.
 */
export async function fillDatabase(
  sql: Pool,
  sealer: Sealer,
  total: number,
  log: (line: string) => void,
): Promise<void> {
  const until = new Date(Date.now() - 120_000);
  const settings = [
    "max_wal_size = '16GB'",
    "maintenance_work_mem = '256MB'",
    'full_page_writes = off',
    'autovacuum = off',
  ];
  for (const setting of settings) await sql.query(`ALTER SYSTEM SET ${setting}`);
  await sql.query('SELECT pg_reload_conf()');
  for (let i = 0; i < merchants; i += 1) {
    const merchantId = `mer_${String(i).padStart(22, '0')}`;
    await sql.query('INSERT INTO merchants (id, name, identity_secret) VALUES ($1, $2, $3)', [
      merchantId,
      `Shop ${i}`,
      sealer.seal('secret', { merchantId, purpose: 'identity-secret' }),
    ]);
  }
  await sql.query(
    `INSERT INTO endpoints (id, merchant_id, url, event_types)
     SELECT ${endpoint}, ${merchant}, 'https://shop.example/hook', '{reward.issue}'
     FROM generate_series(0, ${merchants - 1}) AS i`,
  );
  await sql.query(
    `SELECT rules.add_partition(parent, day::date, day::date + 3)
     FROM (VALUES ('attempts'), ('events')) AS tables (parent),
       generate_series((now() AT TIME ZONE 'UTC')::date - ${days + 4}, (now() AT TIME ZONE 'UTC')::date - 4, interval '3 days') AS day`,
  );
  const indexes = await dropIndexes(sql);
  for (let from = 0; from < total; from += chunk) {
    const to = Math.min(total, from + chunk);
    await Promise.all(statements.map(([, statement]) => sql.query(statement, [from, to, total, until])));
    log(`${to} of ${total} orders`);
  }
  await Promise.all(indexes.map((index) => sql.query(index)));
  log('the indexes are created again');
  await Promise.all(statements.map(([table]) => sql.query(`VACUUM ANALYZE ${table}`)));
  await sql.query('ALTER SYSTEM RESET ALL');
  await sql.query('SELECT pg_reload_conf()');
  log('the tables are vacuumed');
}

/** Drops the indexes that are not keys, because rows are inserted faster without them. Returns their definitions. */
async function dropIndexes(sql: Pool): Promise<string[]> {
  const { rows } = await sql.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i
     WHERE i.indrelid = ANY($1::regclass[]) AND NOT i.indisprimary`,
    [statements.map(([table]) => table)],
  );
  for (const { name } of rows) await sql.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}
