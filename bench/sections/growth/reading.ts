import {
  cancelReplay,
  countActivity,
  createReplay,
  explainOrder,
  eraseMember,
  findOrderDetails,
  listDeliveriesPage,
  listMembersPage,
  listOrdersPage,
  listReferralsPage,
  listRewardsPage,
  previewReplayWithin,
  readWaitingWork,
  replayCountMs,
  summarizeActivity,
} from '@rewardhook/database';
import {
  heavyMember,
  largeMerchant,
  mediumMerchant,
  smallMerchant,
} from '../../large-database/fill-statements.ts';
import { percentile } from '../../measure/statistics.ts';
import type { Figure } from '../../report/figure.ts';
import { profile } from '../../report/profile.ts';
import { hashOf, merchantOf, randomNumbers } from './site.ts';
import type { Site } from './site.ts';

const section = 'Growth: the console, on full tables (95th percentile)';
const hour = 3_600_000;

/** Runs a read with a number that differs each time. */
type Read = (index: number) => Promise<unknown>;

/** Measures the lists and searches of the console, and what else reads few of many rows. */
export async function measureReading(
  site: Site,
  { repetitions, log }: { repetitions: number; log: (line: string) => void },
): Promise<Figure[]> {
  const { database } = site;
  const { rows } = await site.sql.query<{ id: string }>(
    `SELECT id FROM merchants WHERE name = 'Shop ${smallMerchant}'`,
  );
  const [large, medium, small] = [
    merchantOf(site, largeMerchant),
    merchantOf(site, mediumMerchant),
    rows[0]?.id as string,
  ];
  const first = { after: null, limit: 50 };
  const orderOf = (index: number) => 5 * (randomNumbers(`read ${index}`, 1, site.orders / 5)[0] as number);
  const orderId = (index: number) => hashOf(`o${orderOf(index)}`, 16);
  const memberId = (index: number) =>
    `m-${hashOf(`${largeMerchant}-${Math.floor(orderOf(index) / 20)}`, 14)}`;
  const endpoints = await site.sql.query<{ id: string }>('SELECT id FROM endpoints WHERE merchant_id = $1', [
    large,
  ]);
  const endpointId = endpoints.rows[0]?.id as string;
  const heavyCount = Math.floor(site.orders / 100_000);
  const states = ['delivered' as const, 'exhausted' as const];
  const range = { from: new Date(Date.now() - 31 * 24 * hour), until: new Date() };
  /** Reads the next page each time. */
  const pages = (list: (after: string | null) => Promise<{ next: string | null }>): Read => {
    let next: string | null = null;
    return async () => ({ next } = await list(next));
  };
  const reads: Record<string, Read> = {
    'orders, first page': (index) =>
      listOrdersPage(database, [large, medium][index % 2] as string, {}, first),
    'orders of a merchant with few and old ones': () => listOrdersPage(database, small, {}, first),
    'orders, page after page': pages((after) => listOrdersPage(database, large, {}, { after, limit: 200 })),
    'orders, from some day on': (index) =>
      listOrdersPage(database, medium, {}, { after: cursorAt(index % 30), limit: 50 }),
    'orders by id': (index) => listOrdersPage(database, large, { orderId: orderId(index) }, first),
    'orders by member': (index) => listOrdersPage(database, large, { memberId: memberId(index) }, first),
    'orders by member with 1,000 orders': (index) =>
      listOrdersPage(database, large, { memberId: heavyMember(index % heavyCount) }, first),
    'order, details': (index) => findOrderDetails(database, large, orderId(index)),
    'order, explained': (index) => explainOrder(database, large, orderId(index)),
    'deliveries, first page': (index) =>
      listDeliveriesPage(database, [large, medium][index % 2] as string, {}, first),
    'deliveries, page after page': pages((after) =>
      listDeliveriesPage(database, large, {}, { after, limit: 200 }),
    ),
    'deliveries, exhausted': () => listDeliveriesPage(database, large, { state: 'exhausted' }, first),
    'deliveries, pending': () => listDeliveriesPage(database, large, { state: 'pending' }, first),
    'deliveries, held': () => listDeliveriesPage(database, large, { state: 'held' }, first),
    'deliveries, cancelled': () => listDeliveriesPage(database, large, { state: 'cancelled' }, first),
    'deliveries of a type that is rare': () =>
      listDeliveriesPage(database, large, { eventType: 'reward.revoke' }, first),
    'deliveries of a webhook': () => listDeliveriesPage(database, large, { endpointId }, first),
    'deliveries of a day': (index) =>
      listDeliveriesPage(
        database,
        large,
        { from: daysAgo(index % 29, 1), until: daysAgo(index % 29, 0) },
        first,
      ),
    'deliveries by order': (index) => listDeliveriesPage(database, large, { search: orderId(index) }, first),
    'deliveries by member': (index) =>
      listDeliveriesPage(database, large, { search: memberId(index) }, first),
    'rewards, first page': (index) =>
      listRewardsPage(database, [large, medium][index % 2] as string, {}, first),
    'rewards, revoked': () => listRewardsPage(database, large, { state: 'revoked' }, first),
    'rewards by member': (index) => listRewardsPage(database, large, { memberId: memberId(index) }, first),
    'referrals, first page': (index) =>
      listReferralsPage(database, [large, medium][index % 2] as string, {}, first),
    'referrals, flagged': () => listReferralsPage(database, large, { flagged: true }, first),
    'referrals by member': (index) =>
      listReferralsPage(database, large, { memberId: memberId(index) }, first),
    'members, first page': () => listMembersPage(database, large, undefined, first),
    'members by the start of their id': (index) =>
      listMembersPage(database, large, memberId(index).slice(0, 6), first),
    'members by code': (index) =>
      listMembersPage(database, large, hashOf(`${large}${memberId(index)}`, 12), first),
    'members, none found': (index) => listMembersPage(database, large, `nobody-${index}`, first),
    'home, of a day': () => summarizeActivity(database, medium, { step: '1 hour', count: 24 }),
    'home, of a week': () => summarizeActivity(database, medium, { step: '6 hours', count: 28 }),
    'home, of 30 days': () => summarizeActivity(database, medium, { step: '1 day', count: 30 }),
    'home of the large merchant, of a day': () =>
      summarizeActivity(database, large, { step: '1 hour', count: 24 }),
    'home of the large merchant, of a week': () =>
      summarizeActivity(database, large, { step: '6 hours', count: 28 }),
    'home of the large merchant, of 30 days': () =>
      summarizeActivity(database, large, { step: '1 day', count: 30 }),
    'creation of a replay': async () => {
      const { replay } = await createReplay(database, large, {
        ...{ endpointId, states, ...range, newIds: false },
        perMinute: 1,
        maxOpen: 1,
      });
      await cancelReplay(database, large, replay.id);
    },
    'preview of a replay': (index) =>
      previewReplayWithin(
        database,
        large,
        { endpointId, states, ...range, newIds: index % 2 === 1 },
        replayCountMs,
      ),
    'waiting work, for the metrics': () => readWaitingWork(database),
    'erasure of a member': (index) =>
      eraseMember(database, large, memberId(100_000 + index), { cancelDeliveries: false }),
  };
  const figures: Figure[] = [];
  const add = async (name: string, read: Read, most: number) => {
    const figure = await measureRead(name, read, most);
    figures.push({ ...figure, goal: { of: 'value', atMost: 200 }, bottleneck: bottleneckOf(name) });
    log(`growth: ${name}: ${figure.value.toFixed(1)} ms`);
  };
  // A worker has done so since the rows were inserted.
  await countActivity(database);
  for (const [name, read] of Object.entries(reads)) await add(name, read, repetitions);
  const eraseHeavy: Read = (index) =>
    eraseMember(database, large, heavyMember(index), { cancelDeliveries: false });
  await add('erasure of a member with 1,000 orders', eraseHeavy, 3);
  return figures;
}

function bottleneckOf(name: string): string | undefined {
  if (name.startsWith('home')) return profile.growthOfHome;
  return name.startsWith('erasure') ? profile.growthOfErasure : undefined;
}

/** Milliseconds after which a read is not repeated. */
const slowest = 5_000;
/** PostgreSQL's code for a statement that took longer than the limit of the service. */
const statementCancelled = '57014';

async function measureRead(name: string, read: Read, repetitions: number): Promise<Figure> {
  const times: number[] = [];
  let cancelled = 0;
  const started = performance.now();
  for (let index = 0; index < repetitions; index += 1) {
    const before = performance.now();
    await read(index).catch((error: unknown) => {
      if ((error as { code?: string }).code !== statementCancelled) throw error;
      cancelled += 1;
    });
    times.push(performance.now() - before);
    if (performance.now() - started > slowest) break;
  }
  const ascending = times.toSorted((one, other) => one - other);
  return {
    section,
    name,
    value: percentile(ascending, 0.95),
    unit: 'ms',
    note: `median ${percentile(ascending, 0.5).toFixed(1)} ms of ${times.length}${cancelled > 0 ? `; ${cancelled} ended by the time limit of a statement` : ''}`,
  };
}

function daysAgo(days: number, more: number): Date {
  return new Date(Date.now() - (days + more) * 24 * hour);
}

/** A cursor of the list of orders, as its page before would have returned it. */
function cursorAt(days: number): string {
  return Buffer.from(`${daysAgo(days, 0).toISOString().replace('Z', '000Z')} 0`).toString('base64url');
}
