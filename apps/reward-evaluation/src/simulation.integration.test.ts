import fc from 'fast-check';
import { propertyCases, runsAllPropertyCases } from '@rewardhook/testing/property-cases';
import type { Order } from '@rewardhook/contract';
import { findNewestProgram, previewLink, streamSimulationOrders } from '@rewardhook/database';
import { upsertOrders } from '@rewardhook/database/stages';
import { defaultTerms, openSimulation } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { historyArbitrary, orderArbitrary, ruleArbitrary } from '../testing/model.ts';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

async function simulateCurrent(merchantId: string) {
  const current = await findNewestProgram(scenario.database, merchantId);
  const simulation = openSimulation(current);
  await streamSimulationOrders(scenario.database, merchantId, { since: null, pageSize: 2 }, simulation.add);
  return simulation.report();
}

const isFixed = (benefit: Required<FlatTerms>['referee']) =>
  benefit === null || benefit.amount.kind === 'fixed';

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
const limitedRuleArbitrary: fc.Arbitrary<Required<FlatTerms>> = fc
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
      { numRuns: propertyCases(30) },
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
      { numRuns: propertyCases(15) },
    );
  });
});

/** Orders of one member, all of which may count as the first: marked ones, and those of one date. */
const firstOrdersArbitrary: fc.Arbitrary<Order[]> = fc.uniqueArray(orderArbitrary, {
  minLength: 2,
  maxLength: 5,
  selector: ({ order_id }) => order_id,
});

const described = (
  rewards: { orderId: string; role: string; memberId: string; amount: number; unit: string }[],
) =>
  rewards
    .map(({ orderId, role, memberId, amount, unit }) => `${orderId} ${role} ${memberId} ${amount} ${unit}`)
    .toSorted();

describe('A simulation and the previews', () => {
  it('name the orders and amounts that the evaluation rewards when several orders count as the first', async () => {
    let [given, moved] = [0, 0];
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, firstOrdersArbitrary, async (rule, some) => {
        const merchantId = await scenario.openMerchant(rule);
        const live = async () =>
          (await scenario.rewards(merchantId)).filter(({ state }) =>
            ['pending', 'confirmed'].includes(state),
          );
        const orders = some.map((order) => ({ ...order, member_id: 'ann' }));
        for (const [index, order] of orders.entries()) await scenario.store(merchantId, index + 1, [order]);
        const link = { referrerMemberId: 'rex', refereeMemberId: 'ann' };
        const preview = await previewLink(scenario.database, merchantId, link);
        await scenario.link(merchantId, 'rex', 'ann');
        await scenario.settle(merchantId);
        const evaluated = await live();
        expect(described(preview.orders.flatMap(({ rewards }) => rewards))).toEqual(described(evaluated));

        const current = await findNewestProgram(scenario.database, merchantId);
        const simulation = openSimulation(current);
        await streamSimulationOrders(scenario.database, merchantId, { since: null, pageSize: 2 }, (one) =>
          simulation.add({ ...one, rewards: [] }),
        );
        expect(described(simulation.report().gains)).toEqual(described(evaluated));

        // A move to an order from which on others count: each may be the first now.
        const fromOrderId = orders[0]?.order_id ?? null;
        const effects = await scenario.move(merchantId, 'roy', 'ann', fromOrderId);
        await scenario.settle(merchantId);
        const after = await live();
        const others = (found: typeof after, than: typeof after) =>
          described(found.filter(({ id }) => !than.some((one) => one.id === id)));
        expect(described(effects.withdrawn.orders.flatMap(({ rewards }) => rewards))).toEqual(
          others(evaluated, after),
        );
        expect(described(effects.given.orders.flatMap(({ rewards }) => rewards))).toEqual(
          others(after, evaluated),
        );
        given += evaluated.length;
        moved += effects.given.rewards;
      }),
      { numRuns: propertyCases(40) },
    );
    // A few cases may reward nothing.
    if (runsAllPropertyCases()) expect([given > 0, moved > 0]).toEqual([true, true]);
  });
});

describe('streamSimulationOrders', () => {
  it('reads one snapshot, without an order that is stored meanwhile', async () => {
    const merchantId = await scenario.openMerchant(defaultTerms);
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
