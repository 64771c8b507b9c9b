import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { cpuSeconds } from '../measure/process-usage.ts';
import { median } from '../measure/statistics.ts';
import { waitUntilEvaluated, waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { batch, connections } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { parseTerms } from '@rewardhook/rewards';
import type { Merchant } from '../stack/create-merchant.ts';
import { linkMembers } from '../stack/link-members.ts';
import { openTask } from '../tasks/open-task.ts';

const fewOrders = 5;
/** Orders of one repetition: each member of a request has one order in it, whatever its history. */
const measuredOrders = 5_000;
/** The processes that store and evaluate. */
const measured = ['postgres', 'sync', 'reward-evaluation'];

/** A merchant whose rewards are for every order, and its linked members. */
interface Population {
  merchant: Merchant;
  members: { prefix: string; count: number };
  stored: number;
}

/** The processor time of an order whose member has many orders, beside one whose member has five. */
export async function measureHistory(bench: Bench): Promise<Figure[]> {
  const { historyMembers, historyOrders, repetitions } = bench.settings;
  bench.log(`history: ${historyMembers} members with ${historyOrders} orders each`);
  const many = await openPopulation(bench, 'many', historyMembers);
  await send(bench, many, historyMembers * historyOrders);
  const times = { many: [] as number[], few: [] as number[] };
  // The first repetition warms up.
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    bench.log(`history: repetition ${repetition} of ${repetitions}`);
    // Their orders are their sixth ones, so each repetition has members of its own.
    const few = await openPopulation(bench, `few${repetition}`, measuredOrders);
    await send(bench, few, measuredOrders * fewOrders);
    const ofMany = await timeOrders(bench, many);
    const ofFew = await timeOrders(bench, few);
    if (repetition === 0) continue;
    times.many.push(ofMany);
    times.few.push(ofFew);
  }
  return [
    {
      section:
        'History: processor time of PostgreSQL, sync and evaluation for 10,000 orders, every order earns',
      name: `the member has ${historyOrders} orders`,
      value: median(times.many),
      unit: 's',
      repetitions: times.many,
      reference: { name: `the member has ${fewOrders}`, value: median(times.few) },
      goal: { of: 'ratio', atMost: 1.2 },
    },
  ];
}

let populations = 0;

async function openPopulation(bench: Bench, name: string, count: number): Promise<Population> {
  populations += 1;
  const merchant = await bench.createMerchant(
    `bench history ${name}`,
    parseTerms({ earlierOrders: 'count', trigger: 'every_order' }),
  );
  const members = { prefix: `H${Date.now()}-${populations}`, count };
  await linkMembers(bench.sql, merchant.merchantId, {
    prefix: members.prefix,
    orders: count,
    ordersPerMember: 1,
    members,
  });
  return { merchant, members, stored: 0 };
}

/** Sends orders of the members in turn and waits until they are evaluated. */
async function send(bench: Bench, population: Population, orders: number): Promise<void> {
  const { merchant, members } = population;
  const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', {
    prefix: `${members.prefix}-${population.stored}`,
    orders,
    ordersPerMember: 1,
    members,
    url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
    key: merchant.secretKey,
    batch,
    connections,
  });
  try {
    await load.call();
    population.stored += orders;
    await waitUntilEvaluated(bench, merchant.merchantId, population.stored);
  } finally {
    await load.close();
  }
}

/** Processor seconds for 10,000 orders. */
async function timeOrders(bench: Bench, population: Population): Promise<number> {
  await waitUntilIdle(bench);
  // Otherwise autovacuum and a checkpoint for the rows before would be part of it.
  await bench.sql.query('VACUUM (ANALYZE)');
  await bench.sql.query('CHECKPOINT');
  const used = () =>
    bench.stack
      .processes()
      .filter(({ name }) => measured.includes(name))
      .reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const before = used();
  await send(bench, population, measuredOrders);
  return ((used() - before) / measuredOrders) * 10_000;
}
