import { explainOrder, listFeedPage } from '@rewardhook/database';
import { findFaults } from '@rewardhook/database/operations';
import fc from 'fast-check';
import { historyArbitrary, ruleArbitrary } from '../testing/model.ts';
import type { ModelCommand } from '../testing/model.ts';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

/** Locks the rows of some referrals while `during` runs, as another evaluation or an erasure does. */
async function lockReferrals(merchantId: string, during: () => Promise<void>): Promise<void> {
  await scenario.database.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM referrals WHERE merchant_id = ${merchantId} ORDER BY random() LIMIT 1 FOR UPDATE`;
    await during();
  });
}

/** Runs the commands while concurrent evaluations wait for locked rows. */
async function playConcurrently(merchantId: string, history: ModelCommand[]): Promise<void> {
  const running: Promise<unknown>[] = [];
  const runCommand = async (command: ModelCommand) => {
    if (command.kind === 'send') await scenario.store(merchantId, command.version, [command.order]);
    else if (command.kind === 'link') await scenario.link(merchantId, command.referrer, command.referee);
    else if (command.kind === 'endHolds') await scenario.endHolds(merchantId);
    else if (command.kind === 'reachPayments') await scenario.reachPayments(merchantId);
    else if (command.kind === 'publish') await scenario.publish(merchantId, command.rule);
  };
  for (const [index, command] of history.entries()) {
    const step = async () => {
      running.push(scenario.evaluateSome(merchantId), scenario.evaluateSome(merchantId));
      await runCommand(command);
    };
    // The other commands write to referrals themselves.
    const locked = index % 3 === 0 && ['send', 'publish', 'evaluate'].includes(command.kind);
    await (locked ? lockReferrals(merchantId, step) : step());
  }
  await Promise.all(running);
  await scenario.settle(merchantId);
}

it('Rewards, feed and timelines are correct for concurrent commands that wait for locks', async () => {
  await fc.assert(
    fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
      const merchantId = await scenario.openMerchant(rule);
      await playConcurrently(merchantId, history);
      await scenario.checkInvariants(merchantId);
      const { database } = scenario;
      const page = await listFeedPage(database, merchantId, {
        after: null,
        limit: 1_000,
        types: ['reward.issue', 'reward.revoke'],
      });
      const live = new Map<string, number>();
      for (const body of page.bodies) {
        const { type, data } = JSON.parse(body) as { type: string; data: { reward: { id: string } } };
        const count = (live.get(data.reward.id) ?? 0) + (type === 'reward.issue' ? 1 : -1);
        expect([0, 1]).toContain(count);
        live.set(data.reward.id, count);
      }
      const confirmed = await database.reward.findMany({ where: { merchantId, state: 'confirmed' } });
      expect(
        [...live]
          .filter(([, count]) => count === 1)
          .map(([id]) => id)
          .sort(),
      ).toEqual(confirmed.map(({ id }) => id).sort());
      for (const { orderId } of await database.order.findMany({ where: { merchantId } })) {
        const explained = await explainOrder(database, merchantId, orderId);
        const timeline = explained?.timeline ?? [];
        const received = new Set<unknown>();
        for (const entry of timeline) {
          if (entry.what === 'version_received') received.add(entry['version']);
          if (entry.what === 'evaluated') expect(received).toContain(entry['order_version']);
        }
        expect(explained?.waits_for_evaluation).toBe(false);
        // An order that has moved to a member without a referrer is not evaluated again.
        if (explained?.stored_decision && explained.referral)
          expect(explained.stored_decision.order_version).toBe(explained.version);
      }
    }),
    { numRuns: 60 },
  );
  const { counts, unfinished } = await findFaults(scenario.database, { full: true, timeoutMs: 60_000 });
  expect(counts).toMatchObject({ eventsOutOfOrder: 0, timesOutOfOrder: 0 });
  expect(unfinished).toEqual([]);
}, 300_000);
