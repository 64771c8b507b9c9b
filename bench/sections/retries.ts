import { waitFor } from '@rewardhook/local-stack';
import { percentile } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openEndpointGroup } from '../stack/endpoint-group.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'Retries: how late they are, on an idle system';
/** Each to another endpoint, due at random times within this number of seconds. */
const retries = 400;
const spreadSeconds = 8;

/** The time from when a retry is due to its request. */
export async function measureRetries(bench: Bench): Promise<Figure[]> {
  bench.log(`retries: ${retries} that fall due within ${spreadSeconds} s`);
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const none = { others: 0, slow: 0, fails: 0, hangs: 0 };
  const { sql } = bench;
  try {
    const group = await openEndpointGroup(bench, receiver.ready.url, { ...none, healthy: retries });
    const ids = group.all.map(({ endpointId }) => endpointId);
    await sql.query(
      `WITH made AS (
         SELECT p.merchant_id, p.id AS endpoint_id, 'evt_' || p.id AS id FROM endpoints p WHERE p.id = ANY($1)
       ), stored AS (
         INSERT INTO events (merchant_id, id, type, body, created_at)
         SELECT merchant_id, id, 'reward.issue', '{}', now() FROM made
       )
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, attempts_made, schedule_step, created_at, next_attempt_at)
       SELECT gen_random_uuid(), merchant_id, id, now(), endpoint_id, 1, 1, due, due
       FROM (SELECT *, now() + make_interval(secs => 1 + random() * $2) AS due FROM made) planned`,
      [ids, spreadSeconds],
    );
    await waitFor(async () => (await group.healthyWaiting()) === 0, { deadlineMs: 60_000 });
    // created_at is the time at which the retry was due.
    const { rows } = await sql.query<{ ms: number }>(
      `SELECT extract(epoch FROM a.started_at - d.created_at)::float8 * 1000 AS ms
       FROM deliveries d JOIN attempts a ON a.delivery_id = d.id WHERE d.endpoint_id = ANY($1)`,
      [ids],
    );
    const late = rows.map(({ ms }) => ms).toSorted((one, other) => one - other);
    if (late.length !== retries || (late[0] as number) < 0)
      throw new Error('a retry is missing, was sent twice or early');
    return [
      {
        section,
        name: 'due to request, p99',
        value: percentile(late, 0.99),
        unit: 'ms',
        goal: { of: 'value', atMost: 1_000 },
      },
      { section, name: 'due to request, p50', value: percentile(late, 0.5), unit: 'ms' },
    ];
  } finally {
    await receiver.close();
  }
}
