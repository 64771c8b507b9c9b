import type { Client } from 'pg';

/** What a large shop has. */
export interface ShopSize {
  /** As many deliveries, and one attempt each. */
  orders: number;
  members: number;
}

/** Rows of one statement. */
const chunk = 100_000;
/** The rows are spread evenly over these days, up to now. */
const days = 31;

/** Every member but the first tenth is referred by one of these, and has earned two rewards. */
const referrers = (members: number) => Math.ceil(members / 10);

const skus = 50;

/**
 * Fills the tables of a merchant as if a shop had sent orders for a month: orders whose ids begin with `A-` and end in their number, each
 * with a decision, a row behind the figures if its member is referred, a delivery and an attempt; every fifth delivery has failed with a 5xx
 * and is exhausted, and every fiftieth waits.
 */
export async function fillShop(
  sql: Client,
  merchantId: string,
  endpointId: string,
  { orders, members }: ShopSize,
  log: (line: string) => void,
): Promise<void> {
  await addPartitions(sql);
  const at = (total: number) =>
    `now() - interval '1 minute' - (${total} - n) * interval '${days} days' / ${total} AS at`;
  const insert = async (total: number, what: string, text: string) => {
    for (let from = 1; from <= total; from += chunk) {
      const rows = `generate_series(${from}, ${Math.min(total, from + chunk - 1)}) n, LATERAL (SELECT ${at(total)}) made`;
      await sql.query(text.replace('$rows', rows), [merchantId]);
    }
    log(`console: ${total} ${what}`);
  };
  await insert(
    members,
    'members',
    `INSERT INTO members (merchant_id, member_id, code, look_alike, created_at)
     SELECT $1, 'member-' || n, upper(substr(md5($1 || n), 1, 12)), sha256(n::text::bytea), at FROM $rows`,
  );
  const first = referrers(members);
  await insert(
    members,
    'referrals and rewards',
    `WITH referral AS (
       INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, linked_at, orders_enqueued_at, review)
       SELECT $1, 'ref_' || n, 'member-' || n, 'member-' || 1 + n % ${first}, upper(substr(md5($1 || 1 + n % ${first}), 1, 12)), 'boot', at, at,
         CASE WHEN n % 1000 = 0 THEN 'pending' ELSE 'none' END
       FROM $rows WHERE n > ${first}
       RETURNING substr(id, 5)::int AS n, linked_at AS at
     )
     INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id, type, amount, unit,
       state, month, created_at, confirmed_at, ended_at, issued_to)
     SELECT $1, 'rew_' || role || n, 'program', 1, 'ref_' || n, 'referral:ref_' || n, role,
       'member-' || CASE role WHEN 'referee' THEN n ELSE 1 + n % ${first} END, 'A-' || n, 'points', 3000, 'points',
       CASE WHEN n % 20 = 0 THEN 'revoked' ELSE 'confirmed' END, to_char(at, 'YYYY-MM'), at, at, CASE WHEN n % 20 = 0 THEN at END, '{}'
     FROM referral, unnest(ARRAY['referee', 'referrer']) AS role`,
  );
  await insert(
    members,
    'first orders of referred members',
    `INSERT INTO referred_orders (merchant_id, order_id, order_date, referral_id, program_version, revenue, is_first)
     SELECT $1, 'A-' || n, at, 'ref_' || n, 1, 30000, true FROM $rows WHERE n > ${first}`,
  );
  await insert(
    orders,
    'orders',
    `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount, order_date, first_order, items,
       paid_at, created_at, updated_at)
     SELECT $1, 'A-' || n, n, 'member-' || 1 + n % ${members}, 30000, 30000, 0, at, n <= ${members},
       jsonb_build_array(jsonb_build_object('product_id', 'p' || n % ${skus}, 'quantity', 1, 'paid_amount', 30000)), at, at, at
     FROM $rows`,
  );
  await insert(
    orders,
    'decisions',
    `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version, outcome, reason, checks,
       created_at)
     SELECT $1, 'A-' || n, 1, n, 'member-' || 1 + n % ${members}, 'ref_' || 1 + n % ${members}, 1, 'no_reward', 'already_rewarded', '[]', at
     FROM $rows`,
  );
  await insert(
    orders,
    'rows behind the figures',
    `INSERT INTO referred_orders (merchant_id, order_id, order_date, referral_id, program_version, revenue, is_first)
     SELECT $1, 'A-' || n, at, 'ref_' || 1 + n % ${members}, 1, 30000, n <= ${members} FROM $rows WHERE 1 + n % ${members} > ${first}`,
  );
  await insert(
    orders,
    'events, deliveries and attempts',
    `WITH event AS (
       INSERT INTO events (merchant_id, id, type, reward_id, body, created_at, position)
       SELECT $1, 'evt_' || n, 'reward.issue', 'rew_referee' || 1 + n % ${members}, '{}', at, n FROM $rows
       RETURNING substr(id, 5)::int AS n, id, created_at
     ), delivery AS (
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, attempts_made, next_attempt_at, created_at,
         finished_at, last_attempt_at, last_status)
       SELECT gen_random_uuid(), $1, id, created_at, '${endpointId}', state, 1, CASE state WHEN 'pending' THEN now() + interval '1 day' END,
         created_at, CASE WHEN state <> 'pending' THEN created_at END, created_at, CASE state WHEN 'delivered' THEN 204 ELSE 503 END
       FROM event, LATERAL (SELECT CASE WHEN n % 50 = 1 THEN 'pending' WHEN n % 5 = 0 THEN 'exhausted' ELSE 'delivered' END AS state) ended
       RETURNING id, state, created_at
     )
     INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, timings)
     SELECT id, 1, $1, '${endpointId}', created_at, 'https://shop.example.com/', CASE state WHEN 'delivered' THEN 204 ELSE 503 END,
       jsonb_build_object('totalMs', 40 + 100 * random())
     FROM delivery`,
  );
  log('console: vacuum and statistics');
  await sql.query('VACUUM (ANALYZE)');
  await sql.query('CHECKPOINT');
}

/** The partitions of days before the installation: where a shop has sent orders for a month, there are some. */
async function addPartitions(sql: Client): Promise<void> {
  for (const table of ['attempts', 'events'])
    await sql.query(
      `SELECT rules.add_partition($1, first + 3 * number, first + 3 * (number + 1))
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 - 3 * 11 AS first) days, generate_series(0, 10) AS number`,
      [table],
    );
}
