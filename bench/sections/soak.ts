import type { StreamPlan, StreamResult } from '../load/stream-plan.ts';
import { sampleGrowth } from '../measure/growth-samples.ts';
import type { GrowthSample, GrowthSamples } from '../measure/growth-samples.ts';
import { median } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { addWebhook } from '../stack/create-merchant.ts';
import type { Merchant } from '../stack/create-merchant.ts';
import { openTask } from '../tasks/open-task.ts';

/** The members of the first of these merchants are linked, and its rewards are delivered. */
const merchants = 5;
/** One request in ten repeats an earlier one, so that rows are updated too. */
const repeatEvery = 10;
const samplesOfRun = 60;

/** The goal of the end, compared with the middle of the run unless it is a number of its own; and why something grows. */
const growth: { of: RegExp; goal?: Figure['goal']; why?: string }[] = [
  {
    of: /^client connections/,
    why: 'the load generator opens another one when none is free, and they end after 65 s without a request',
  },
  {
    of: /PostgreSQL, connections/,
    goal: { of: 'ratio', atMost: 1.1 },
    why: 'the pools open connections up to their size when statements overlap, and close those that are idle',
  },
  { of: /open files|connections/, goal: { of: 'ratio', atMost: 1.1 } },
  {
    of: /Redis, keys/,
    goal: { of: 'value', atMost: 2_200 },
    why: 'completed jobs of reward-evaluation and webhook-delivery are kept, 1,000 of each',
  },
  { of: /Redis, used memory/, goal: { of: 'ratio', atMost: 1.2 } },
  {
    of: /dead rows/,
    why: 'updated and deleted rows until autovacuum removes them, which it does at a share of the live rows',
  },
  { of: /live rows|size/, why: 'the orders, decisions, rewards, events and deliveries that are stored' },
  { of: /^postgres, resident/, why: 'the shared buffers fill with the tables up to shared_buffers' },
  { of: /resident/, goal: { of: 'ratio', atMost: 1.1 } },
];

/** Sends half of what the service can take, for minutes, and reports what grows. */
export async function measureSoak(bench: Bench): Promise<Figure[]> {
  const minutes = bench.settings.soakMinutes;
  const owners = await Promise.all(
    Array.from({ length: merchants }, (_, index) => bench.createMerchant(`bench soak ${index}`)),
  );
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const linked = owners[0] as Merchant;
  await addWebhook(bench.database, linked.merchantId, `${receiver.ready.url}/soak`);
  const open = async (name: string, requests: number, pace: StreamPlan['pace']) => {
    const plan: StreamPlan = {
      url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
      keys: owners.map(({ secretKey }) => secretKey),
      prefix: `S${Date.now()}${name}`,
      ordersPerMember,
      batch,
      pace,
      repeatEvery,
    };
    await linkAll(bench, linked, plan.prefix, requests);
    return openTask<StreamPlan, null, StreamResult>('load/stream-orders.ts', plan);
  };
  try {
    bench.log('soak: what it can take');
    const requests = bench.settings.orders / batch;
    const all = await open('all', requests, { kind: 'all', requests, connections });
    const started = performance.now();
    await all.call();
    await waitUntilIdle(bench);
    const perSecond = requests / ((performance.now() - started) / 1_000) / 2;
    await all.close();

    const seconds = minutes * 60;
    bench.log(`soak: ${perSecond.toFixed(1)} requests/s for ${minutes} minutes`);
    const load = await open('load', perSecond * seconds, { kind: 'rate', perSecond, seconds });
    const running = load.call();
    const samples = await sampleGrowth(bench, seconds / samplesOfRun, running);
    const result = await running;
    await load.close();
    await waitUntilIdle(bench);
    const section = `Soak: ${perSecond.toFixed(1)} requests of ${batch} orders a second for ${minutes} minutes, half of what it can take`;
    return [
      {
        section,
        name: 'p99 of the 202',
        value: result.accepted.p99Ms,
        unit: 'ms',
        note: `${result.sent} requests, ${result.sent - result.accepted.count} not accepted; one in ${repeatEvery} repeats an earlier one; the members of one merchant in ${merchants} are linked`,
      },
      ...growthFigures(section, samples),
    ];
  } finally {
    await receiver.close();
  }
}

function growthFigures(section: string, { samples, everySeconds }: GrowthSamples): Figure[] {
  const names = Object.keys(samples[0] ?? {});
  return names.map((name): Figure => {
    const series = samples.map((sample) => sample[name] ?? Number.NaN);
    const at = (share: number) => median(around(series, share));
    const limit = growth.find(({ of }) => of.test(name));
    const half = series.slice(Math.floor(series.length / 2));
    const perHour = slopeOf(half) * (3_600 / everySeconds);
    const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
    return {
      section,
      name,
      value: at(1),
      unit: 'at the end',
      reference: { name: 'in the middle', value: at(0.5) },
      ...(limit?.goal ? { goal: limit.goal } : {}),
      note: `at the start ${number(at(0))}; ${number(perHour)} an hour in the second half${limit?.why ? `: ${limit.why}` : ''}`,
    };
  });
}

/** A tenth of the series: the first, the last or one between. */
function around(series: number[], share: number): number[] {
  const length = Math.max(1, Math.floor(series.length / 10));
  const from = Math.round((series.length - length) * share);
  return series.slice(from, from + length);
}

/** The slope of the least-squares line, per sample. */
function slopeOf(series: GrowthSample[string][]): number {
  const middle = (series.length - 1) / 2;
  const mean = series.reduce((sum, value) => sum + value, 0) / series.length;
  const covariance = series.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const variance = series.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}

/** Links the members of every request of the first merchant, as the numbers of `openOrderBodies` name them. */
async function linkAll(
  { sql }: Bench,
  { merchantId }: Merchant,
  prefix: string,
  requests: number,
): Promise<void> {
  const perRequest = batch / ordersPerMember;
  const members = `SELECT $2 || '-member-' || (100000000 / $3::int + request * $4::int + member) AS referee,
      $2 || '-referrer-' || request AS referrer
    FROM generate_series(0, $5::int, $6::int) request, generate_series(0, $4::int - 1) member`;
  const values = [merchantId, prefix, ordersPerMember, perRequest, Math.ceil(requests), merchants];
  await sql.query(
    `WITH made AS (${members})
     INSERT INTO members (merchant_id, member_id, code, look_alike)
     SELECT $1, one, upper(substr(md5(one), 1, 12)), sha256(convert_to(one, 'UTF8'))
     FROM (SELECT referee AS one FROM made UNION SELECT referrer FROM made) AS every`,
    values,
  );
  await sql.query(
    `WITH made AS (${members})
     INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, orders_enqueued_at)
     SELECT $1, 'ref_' || md5($1 || referee), referee, referrer, upper(substr(md5(referrer), 1, 12)), 'link', now()
     FROM made`,
    values,
  );
  await sql.query('ANALYZE members, referrals');
}
