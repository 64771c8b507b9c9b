import fc from 'fast-check';
import type { Order } from '@rewardhook/contract';
import { listPrograms, streamSimulationOrders } from '@rewardhook/database';
import { upsertOrders } from '@rewardhook/database/stages';
import { defaultRule, openSimulation } from '@rewardhook/rewards';
import type { Benefit, ProgramRule } from '@rewardhook/rewards';
import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { historyArbitrary, ruleArbitrary } from '../testing/model.ts';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

async function simulateCurrent(merchantId: string) {
  const [current] = await listPrograms(scenario.database, merchantId);
  if (!current) throw new Error('no program');
  const simulation = openSimulation(current);
  await streamSimulationOrders(scenario.database, merchantId, { since: null, pageSize: 2 }, simulation.add);
  return simulation.report();
}

const isFixed = (benefit: Benefit | null) => benefit === null || benefit.amount.kind === 'fixed';

/** Orders of two referees, each sent once, in the order of their dates. */
const ordersArbitrary: fc.Arbitrary<Order[]> = historyArbitrary.map((history) =>
  history
    .flatMap((command) => (command.kind === 'send' ? [command.order] : []))
    .map((order, index) => ({
      ...order,
      order_id: `o${String(index).padStart(2, '0')}`,
      order_date: hoursAgo(30 - index),
    })),
);
const limitedRuleArbitrary: fc.Arbitrary<ProgramRule> = fc
  .tuple(
    ruleArbitrary,
    fc.constantFrom(null, 1, 3),
    fc.constantFrom(null, 2, 4),
    fc.constantFrom(null, 5_000),
  )
  .map(([rule, total, month, budget]) => ({ ...rule, referrerCap: { total, month }, budget }));

// Dozens of histories, each against PostgreSQL.
jest.setTimeout(120_000);

describe('A simulation of the program in force', () => {
  it('finds no gain and no loss for any history with fixed amounts and without limits', async () => {
    const rules = ruleArbitrary.filter(({ referee, referrer }) => isFixed(referee) && isFixed(referrer));
    await fc.assert(
      fc.asyncProperty(rules, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        for (const command of history) {
          if (command.kind === 'send') await scenario.store(merchantId, command.version, [command.order]);
          else if (command.kind === 'link')
            await scenario.link(merchantId, command.referrer, command.referee);
          else if (command.kind === 'endHolds') await scenario.endHolds(merchantId);
          else if (command.kind === 'evaluate') await scenario.evaluateSome(merchantId);
        }
        await scenario.settle(merchantId);
        const report = await simulateCurrent(merchantId);
        expect([report.gains, report.losses]).toEqual([[], []]);
        const live = (await scenario.rewards(merchantId)).filter(({ state }) =>
          ['pending', 'confirmed'].includes(state),
        );
        expect(report.current.rewards).toBe(live.length);
        expect(report.draft).toEqual(report.current);
      }),
      { numRuns: 30 },
    );
  });

  it('finds no gain and no loss with limits and percentages when orders arrived in the order of their dates', async () => {
    await fc.assert(
      fc.asyncProperty(limitedRuleArbitrary, ordersArbitrary, async (rule, orders) => {
        const merchantId = await scenario.openMerchant(rule);
        for (const referee of ['ann', 'ben']) await scenario.link(merchantId, 'rex', referee);
        for (const [index, order] of orders.entries()) {
          await scenario.store(merchantId, index + 1, [order]);
          await scenario.settle(merchantId);
        }
        const report = await simulateCurrent(merchantId);
        expect(report.orders).toBe(orders.length);
        expect([report.gains, report.losses]).toEqual([[], []]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('streamSimulationOrders', () => {
  it('reads one snapshot, without an order that is stored meanwhile', async () => {
    const merchantId = await scenario.openMerchant(defaultRule);
    await scenario.link(merchantId, 'rex', 'ann');
    const order = (day: number) =>
      buildOrder({ member_id: 'ann', order_date: `2026-11-0${day}T00:00:00Z`, order_id: `o${day}` });
    await scenario.store(merchantId, 1, [order(1), order(2)]);
    const seen: string[] = [];
    const stored: Promise<unknown>[] = [];
    const since = '2026-11-01T00:00:00Z';
    await streamSimulationOrders(scenario.database, merchantId, { since, pageSize: 1 }, (simulated) => {
      seen.push(simulated.order.orderId);
      if (seen.length === 1)
        stored.push(
          upsertOrders(scenario.database, [{ merchantId, version: 2, orders: JSON.stringify([order(3)]) }]),
        );
    });
    await Promise.all(stored);
    expect(seen).toEqual(['o1', 'o2']);
    const later: string[] = [];
    await streamSimulationOrders(
      scenario.database,
      merchantId,
      { since: '2026-11-01T00:00:01Z' },
      ({ order: { orderId } }) => void later.push(orderId),
    );
    expect(later).toEqual(['o2', 'o3']);
  });
});
