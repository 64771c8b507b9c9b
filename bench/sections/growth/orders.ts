import { upsertOrders } from '@rewardhook/database';
import type { OrderBatch } from '@rewardhook/database';
import { makeOrders } from '../../load/make-orders.ts';
import type { Figure } from '../../report/figure.ts';
import { profile } from '../../report/profile.ts';
import { comparedFigure, compareSites, measureWork } from './processor-time.ts';
import { largeMerchant } from '../../large-database/fill-statements.ts';
import { hashOf, randomNumbers, run } from './site.ts';
import type { Site } from './site.ts';

const section = 'Growth: processor time of PostgreSQL for 10,000 orders stored';
/** As sync stores them: requests of 100 orders, of 20 merchants, in one statement. */
const perRequest = 100;
const requestsPerStatement = 20;

/** The ids of an order and its member. */
type Ids = (
  site: Site,
  merchant: { number: number; id: string },
  index: number,
) => [order: string, member: string];

let lastVersion = 0;
let lastOrder = 0;

/** Stores orders with such ids. */
export async function store(site: Site, ids: Ids, count: number): Promise<void> {
  for (let done = 0; done < count; done += perRequest * requestsPerStatement) {
    const batches: OrderBatch[] = [];
    for (let request = 0; request < requestsPerStatement; request += 1) {
      const merchant = site.merchants[
        (done / perRequest + request) % site.merchants.length
      ] as Site['merchants'][0];
      lastVersion = Math.max(lastVersion + 1, Date.now() * 1_000);
      const orders = makeOrders({ prefix: 'G', orders: count, ordersPerMember: 5 }, 0, perRequest);
      for (const order of orders) [order.order_id, order.member_id] = ids(site, merchant, (lastOrder += 1));
      batches.push({
        merchantId: merchant.id,
        version: lastVersion,
        json: Buffer.from(JSON.stringify(orders)),
      });
    }
    await upsertOrders(site.database, batches);
  }
}

/** Ids that grow, of new members with five orders each. */
export const growing: Ids = (_site, _merchant, index) => {
  const number = (at: number) => String(at).padStart(12, '0');
  return [`order-${run}-${number(index)}`, `member-${run}-${number(Math.floor(index / 5))}`];
};

/**
 * Ids of orders that grow, of members that have ordered before and are not linked, as nobody is on the empty database: an
 * order of a linked member is also enqueued.
 */
const returning: Ids = (site, merchant, index) => {
  const perMerchant = site.orders / (merchant.number === largeMerchant ? 5 : 100);
  const [pair] = randomNumbers(`returning ${run} ${index}`, 1, Math.max(1_000, perMerchant / 8)) as [number];
  // Of two members, as fill-statements.ts numbers them, the first one is linked.
  const member = pair * 2 + 1;
  return [growing(site, merchant, index)[0], `m-${hashOf(`${merchant.number}-${member}`, 14)}`];
};

/** Random ids, each order of another new member. */
export const random: Ids = (_site, _merchant, index) => [
  hashOf(`new ${run} ${index}`, 16),
  `m-${hashOf(`new member ${run} ${index}`, 14)}`,
];

/** Compares storing orders on empty and on full tables. */
export async function measureOrders(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count, cycle }: { rounds: number; count: number; cycle: number },
): Promise<Figure[]> {
  const emptyOrders = async (site: Site) => {
    if (site.name === 'empty') await site.sql.query('TRUNCATE orders');
  };
  const compare = async (name: string, ids: Ids, atMost: number, checkpoint = false): Promise<Figure> => {
    const compared = await compareSites(pid, sites, rounds, {
      count,
      prepare: async (site) => {
        await emptyOrders(site);
        if (checkpoint) await site.sql.query('CHECKPOINT');
      },
      run: (site) => store(site, ids, count),
    });
    return comparedFigure(section, name, compared, { of: 'ratio', atMost }, profile.growth);
  };
  const figures = [
    await compare('ids that grow', growing, 1.15),
    await compare('ids that grow, members who ordered before', returning, 1.3),
  ];
  const afterCheckpoint = await compare('random ids, directly after a checkpoint', random, 1.3, true);
  // The log has each page as a whole when it first changes after a checkpoint: the rest of the cycle has fewer of them.
  await sites.full.sql.query('CHECKPOINT');
  const cycleCosts: number[] = [];
  for (let done = 0; done < cycle; done += count) {
    const { seconds } = await measureWork(pid, sites.full, () => store(sites.full, random, count));
    cycleCosts.push((seconds / count) * 10_000);
  }
  const settled = await compare('random ids', random, 1.3);
  const reference = settled.reference as { name: string; value: number };
  return [
    ...figures,
    {
      ...settled,
      note: `${cycle} orders after the last checkpoint; ${settled.note}`,
    },
    {
      section,
      name: `random ids, mean of ${cycle} orders after a checkpoint`,
      value: cycleCosts.reduce((sum, one) => sum + one, 0) / cycleCosts.length,
      unit: 's',
      reference,
      note: `by ${count} orders: ${cycleCosts.map((one) => one.toFixed(2)).join(', ')}`,
    },
    afterCheckpoint,
    await measureUpdates(pid, sites, { rounds, count, newest: 0.03 }),
    await measureUpdates(pid, sites, { rounds, count, newest: 0.5 }),
  ];
}

/** Updates random orders among the newest share: on the empty database those that were stored just before. */
async function measureUpdates(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count, newest }: { rounds: number; count: number; newest: number },
): Promise<Figure> {
  let storedBefore = 0;
  const old: Ids = (site, merchant, index) => {
    if (site.name === 'empty') return random(site, merchant, index - storedBefore);
    // As fill-statements.ts numbers them, without the members with 1,000 orders.
    const every = merchant.number === largeMerchant ? 5 : 100;
    const perMerchant = site.orders / every;
    const [at] = randomNumbers(`old ${run} ${index}`, 1, perMerchant * newest) as [number];
    const number = Math.floor(perMerchant * (1 - newest)) + at;
    const orderId = hashOf(`o${number * every + merchant.number}`, 16);
    return [orderId, `m-${hashOf(`${merchant.number}-${Math.floor(number / 4)}`, 14)}`];
  };
  const compared = await compareSites(pid, sites, rounds, {
    count,
    async prepare(site) {
      if (site.name === 'full') return;
      await site.sql.query('TRUNCATE orders');
      const first = lastOrder;
      await store(site, random, count);
      storedBefore = lastOrder - first;
      await site.sql.query('VACUUM ANALYZE orders');
    },
    run: (site) => store(site, old, count),
  });
  return comparedFigure(
    section,
    newest === 0.5 ? 'updates of orders of the last 15 days' : 'updates of orders of the last day',
    compared,
    { of: 'ratio', atMost: 1.3 },
    profile.growth,
  );
}
