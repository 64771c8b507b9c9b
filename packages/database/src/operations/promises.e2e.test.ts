import { randomUUID } from 'node:crypto';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { countPromises, countPromisesSql, listOpenPromises } from './promises.ts';

jest.setTimeout(120_000);
useDatabase(2);

/** A node of a plan as it was executed. */
interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The rows that the scans of a plan have read, those that a filter removed included. */
const rowsRead = (plan: PlanNode) =>
  nodesOf(plan)
    .filter((node) => node['Node Type'].includes('Scan'))
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );

it('A count of promises reads what is open: of 100,000 merchants, the 100 that have something open', async () => {
  await database.$executeRaw`
    INSERT INTO merchants (id, name, identity_secret) SELECT 'mer_' || n, 'Shop', '' FROM generate_series(1, 100000) n`;
  await database.$executeRaw`
    INSERT INTO endpoints (merchant_id, id, url, event_types)
    SELECT 'mer_' || n, 'whk_' || n, 'https://shop.example/hook', '{}' FROM generate_series(1, 100000) n`;
  await database.$executeRaw`
    INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, promised)
    SELECT gen_random_uuid(), 'mer_' || n, 'evt_' || n, now(), 'whk_' || n, CASE WHEN n % 2000 = 0 THEN 'pending' ELSE 'delivered' END, true
    FROM generate_series(1, 100000) n`;
  await database.$executeRaw`
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id, type,
      amount, unit, state, month, confirmed_at, no_webhook_registered)
    SELECT 'mer_' || n, 'rwd_' || n, 'prg_1', 1, 'ref_1', 'order:' || n, 'referee', 'a', 'o' || n, 'points', 1, 'P', 'confirmed',
      '2026-11', now(), n % 2000 = 1 FROM generate_series(1, 100000) n`;
  const explain = async () => {
    const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${countPromisesSql}`,
    );
    await database.$executeRaw`TRUNCATE open_promises`;
    return rowsRead(row!['QUERY PLAN'][0].Plan);
  };
  // Before and after the tables are in the statistics.
  expect(await explain()).toBeLessThanOrEqual(2_000);
  await database.$executeRaw`ANALYZE`;
  expect(await explain()).toBeLessThanOrEqual(2_000);

  await countPromises(database);
  const open = await listOpenPromises(database, 1_000);
  expect(open.map(({ holder }) => holder).toSorted()).toEqual([
    ...Array<string>(50).fill('no_webhook'),
    ...Array<string>(50).fill('sending'),
  ]);
});

it('The promises of a merchant with several webhooks are one number, and one row for each webhook', async () => {
  await database.$executeRaw`TRUNCATE merchants, endpoints, deliveries, rewards, open_promises CASCADE`;
  await database.merchant.create({ data: { id: 'mer_1', name: 'Shop', identitySecret: '' } });
  for (const endpointId of ['whk_a', 'whk_b']) {
    await database.endpoint.create({
      data: { id: endpointId, merchantId: 'mer_1', url: 'https://shop.example/hook', eventTypes: [] },
    });
    await database.delivery.create({
      data: {
        ...{ id: randomUUID(), merchantId: 'mer_1', endpointId, eventId: `evt_${endpointId}` },
        ...{ eventCreatedAt: new Date(), promised: true },
      },
    });
  }
  await countPromises(database);
  expect(await listOpenPromises(database, 10)).toMatchObject([{ holder: 'sending', number: 2 }]);
  const rows = await database.openPromise.findMany({ orderBy: { subject: 'asc' } });
  expect(rows).toMatchObject([
    { subject: 'whk_a', number: 1 },
    { subject: 'whk_b', number: 1 },
  ]);
});
