import type { Client } from 'pg';

/*
 * Synthetic days are copies of rows that the real processes wrote, with other ids and times spread over the day: values,
 * sizes and proportions are the real ones. They are inserted with a statement per table.
 */

/** Keeps the merchant's real rows as the template of all days. */
export async function keepTemplate(sql: Client, merchantId: string): Promise<void> {
  for (const table of ['events', 'deliveries', 'attempts', 'decisions'])
    await sql.query(
      `CREATE TEMP TABLE template_${table} AS SELECT * FROM ${table} WHERE merchant_id = '${merchantId}'`,
    );
}

/** Replaces the partitions, which are empty or have the real rows, by one that begins `daysAgo` days ago. */
export async function startPartitions(sql: Client, daysAgo: number): Promise<void> {
  await sql.query('DELETE FROM deliveries');
  await sql.query('DELETE FROM decisions');
  for (const table of ['attempts', 'events', 'clicks']) {
    const { rows } = await sql.query<{ name: string }>(
      'SELECT name FROM rules.partitions WHERE parent = $1',
      [table],
    );
    for (const { name } of rows) await sql.query(`DROP TABLE "${name}"`);
    await sql.query(
      `SELECT rules.add_partition($1, day - 1, day)
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date - $2::int AS day) first`,
      [table, daysAgo],
    );
  }
  await sql.query('VACUUM FULL deliveries, decisions');
}

/**
 * Inserts the rows of the day that ended `day` - 1 days before `now`. One decision in three is superseded a day later.
 */
export async function addSyntheticDay(
  sql: Client,
  { day, now, copies }: { day: number; now: Date; copies: number },
): Promise<void> {
  // Rows of one delivery have the same number `n`, and so the same time: at most a second apart.
  const at = (n: string) =>
    `$1::timestamptz - make_interval(days => $2::int) + make_interval(secs => 86390.0 * ${n} / greatest(1, (SELECT count(*) FROM template_events) * $3::int))`;
  const numbered = (table: string, order: string) =>
    `(SELECT t.*, c, ((c - 1) * (SELECT count(*) FROM template_${table}) + row_number() OVER (PARTITION BY c ORDER BY ${order}))::float8
       * (SELECT count(*) FROM template_events) / (SELECT count(*) FROM template_${table}) AS n
      FROM template_${table} t, generate_series(1, $3::int) c ORDER BY n)`;
  const values = [now, day, copies];
  const suffix = `'-' || $2::int || '-' || c`;
  const id = (column: string) => `substr(${column}, 1, 4) || substr(md5(${column} || ${suffix}), 1, 22)`;
  const uuid = (column: string) => `md5(${column}::text || ${suffix})::uuid`;
  await sql.query(
    `INSERT INTO events (merchant_id, id, type, reward_id, body, created_at)
     SELECT merchant_id, ${id('id')}, type, ${id('reward_id')}, body, ${at('n')}
     FROM ${numbered('events', 'id')} t`,
    values,
  );
  await sql.query(
    `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, attempts_made,
       schedule_step, next_attempt_at, created_at, finished_at)
     SELECT ${uuid('id')}, merchant_id, ${id('event_id')}, ${at('n')}, endpoint_id,
       state, attempts_made, schedule_step, next_attempt_at, ${at('n')}, ${at('n')} + interval '1 second'
     FROM ${numbered('deliveries', 'event_id')} t`,
    values,
  );
  await sql.query(
    `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class,
       error_message, timings, response_body, request_headers)
     SELECT ${uuid('delivery_id')}, number, merchant_id, endpoint_id, ${at('n')}, url, status, error_class,
       error_message, timings, response_body, request_headers
     FROM ${numbered('attempts', 'delivery_id')} t`,
    values,
  );
  await sql.query(
    `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
       outcome, reason, checks, created_at)
     SELECT merchant_id, order_id || ${suffix}, number, order_version, member_id, referral_id, program_version, outcome,
       reason, checks, ${at('n')}
     FROM ${numbered('decisions', 'order_id')} t`,
    values,
  );
  // Orders of the day before that are evaluated again.
  await sql.query(
    `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
       outcome, reason, checks, created_at)
     SELECT merchant_id, order_id, number + 1, order_version + 1, member_id, referral_id, program_version, outcome,
       reason, checks, created_at + interval '1 day'
     FROM decisions
     WHERE number = 1 AND hashtext(order_id) % 3 = 0
       AND created_at >= $1::timestamptz - make_interval(days => $2::int + 1)
       AND created_at < $1::timestamptz - make_interval(days => $2::int)`,
    [now, day],
  );
}
