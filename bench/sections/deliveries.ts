import { waitFor } from '@rewardhook/local-stack';
import type { PostLoopPlan } from '../bare/post-loop.ts';
import { eventBody } from '../load/event-body.ts';
import { cpuSeconds } from '../measure/process-usage.ts';
import { median } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { addWebhook } from '../stack/create-merchant.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'Deliveries: due rows to POSTs received, every attempt stored';
const postConnections = 64;

/** Deliveries/s to receivers on this machine, compared with a loop that only signs and POSTs. */
export async function measureDeliveries(bench: Bench): Promise<Figure[]> {
  const { deliveries, repetitions } = bench.settings;
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  try {
    bench.log('deliveries: warming up');
    const { url } = receiver.ready;
    await runDeliveries(bench, url, { deliveries: Math.ceil(deliveries / 3), endpoints: 10 });
    const plan = { url: `${url}/hook`, body: eventBody('warm'), signingSecret: 'whsec_c2VjcmV0', deliveries };
    const loop = await openTask<PostLoopPlan, null, { perSecond: number }>('bare/post-loop.ts', {
      ...plan,
      connections: postConnections,
    });
    await loop.call();
    const ten: DeliveriesRun[] = [];
    const one: DeliveriesRun[] = [];
    const bare: number[] = [];
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      bench.log(`deliveries: repetition ${repetition} of ${repetitions}`);
      ten.push(await runDeliveries(bench, url, { deliveries, endpoints: 10 }));
      one.push(await runDeliveries(bench, url, { deliveries, endpoints: 1 }));
      bare.push((await loop.call()).perSecond);
    }
    await loop.close();
    const reference = { name: 'sign and POST with undici alone', value: median(bare) };
    return [
      figure('10 endpoints', ten, reference),
      figure('1 endpoint', one, reference),
      ...cpuFigures('10 endpoints', ten),
      ...cpuFigures('1 endpoint', one),
    ];
  } finally {
    await receiver.close();
  }
}

/** The processes that deliveries take processor time of. */
const measured = ['webhook-delivery', 'postgres', 'redis'];

/** One repetition: deliveries/s, and processor seconds for 10,000 deliveries by process. */
interface DeliveriesRun {
  perSecond: number;
  cpu: number[];
}

/** Inserts due deliveries as the evaluation stage does, and waits until the last attempt is stored. */
async function runDeliveries(
  bench: Bench,
  url: string,
  { deliveries, endpoints }: { deliveries: number; endpoints: number },
): Promise<DeliveriesRun> {
  const { sql } = bench;
  const { merchantId } = await bench.createMerchant(`bench deliveries ${Date.now()}`);
  for (let index = 0; index < endpoints; index += 1)
    await addWebhook(bench.database, merchantId, `${url}/${index}`);
  await waitUntilIdle(bench);
  await sql.query(
    `INSERT INTO events (merchant_id, id, type, body, created_at)
     SELECT $1, 'evt_bench_' || n, 'reward.issue', $3, now() FROM generate_series(1, $2::int) n`,
    [merchantId, deliveries, eventBody(merchantId)],
  );
  // One commit makes all of them due. The jobs follow at once, as after an evaluation.
  await sql.query(
    `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id)
     SELECT gen_random_uuid(), $1, e.id, e.created_at,
       ids[1 + substr(e.id, 11)::int % array_length(ids, 1)]
     FROM events e, (SELECT array_agg(id) AS ids FROM endpoints WHERE merchant_id = $1) own
     WHERE e.merchant_id = $1
     ORDER BY substr(e.id, 11)::int`,
    [merchantId],
  );
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM endpoints WHERE merchant_id = $1', [
    merchantId,
  ]);
  const before = cpuOf(bench);
  const started = performance.now();
  await bench.delivery.enqueue(rows.map(({ id }) => ({ merchantId, endpointId: id })));
  const left = async () => {
    const counted = await sql.query(
      `SELECT 1 FROM deliveries WHERE endpoint_id = ANY($1) AND state = 'pending' LIMIT 1`,
      [rows.map(({ id }) => id)],
    );
    return counted.rowCount === 0;
  };
  await waitFor(left, { deadlineMs: 120_000, everyMs: 20, what: `${deliveries} deliveries` });
  const seconds = (performance.now() - started) / 1_000;
  const cpu = cpuOf(bench).map((used, index) => ((used - (before[index] ?? 0)) / deliveries) * 10_000);
  await checkAttempts(bench, merchantId, deliveries);
  return { perSecond: deliveries / seconds, cpu };
}

function cpuOf({ stack }: Bench): number[] {
  const processes = stack.processes();
  return measured.map((wanted) => cpuSeconds(processes.find(({ name }) => name === wanted)?.pid ?? 0));
}

function cpuFigures(what: string, runs: DeliveriesRun[]): Figure[] {
  return measured.map((name, index) => {
    const repetitions = runs.map(({ cpu }) => cpu[index] ?? 0);
    const title = `Processor time for 10,000 deliveries, ${what}`;
    return { section: title, name, value: median(repetitions), unit: 's', repetitions };
  });
}

async function checkAttempts({ sql }: Bench, merchantId: string, deliveries: number): Promise<void> {
  const { rows } = await sql.query<{ good: number }>(
    `SELECT count(*)::int AS good FROM attempts WHERE merchant_id = $1 AND status = 204`,
    [merchantId],
  );
  if ((rows[0]?.good ?? 0) < deliveries)
    throw new Error(`${rows[0]?.good} of ${deliveries} attempts are stored`);
}

function figure(name: string, runs: DeliveriesRun[], reference: { name: string; value: number }): Figure {
  const repetitions = runs.map(({ perSecond }) => perSecond);
  return { section, name, value: median(repetitions), unit: 'deliveries/s', reference, repetitions };
}
