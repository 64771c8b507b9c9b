import fc from 'fast-check';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';
import { expectedLive, historyArbitrary, ruleArbitrary } from '../testing/model.ts';
import type { ModelCommand } from '../testing/model.ts';

// Hundreds of histories, each against PostgreSQL.
jest.setTimeout(120_000);

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

/** Runs the commands, with evaluations at random moments, and then evaluates until nothing is due. */
async function play(merchantId: string, history: ModelCommand[]): Promise<void> {
  for (const command of history) {
    if (command.kind === 'send') await scenario.store(merchantId, command.version, [command.order]);
    else if (command.kind === 'link') await scenario.link(merchantId, command.referrer, command.referee);
    else if (command.kind === 'endHolds') await scenario.endHolds(merchantId);
    else if (command.kind === 'reachPayments') await scenario.reachPayments(merchantId);
    else if (command.kind === 'publish') await scenario.publish(merchantId, command.rule);
    else await scenario.evaluateSome(merchantId);
  }
  await scenario.settle(merchantId);
}

describe('Rewards, for random histories in any order', () => {
  it('are exactly those of a reference model, with an event per state change and correct sums', async () => {
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        const lasting = history.filter(({ kind }) => kind !== 'publish');
        await play(merchantId, lasting);
        const rewards = await scenario.rewards(merchantId);
        const live = rewards.filter(({ state }) => state === 'pending' || state === 'confirmed');
        const expected = expectedLive(rule, lasting);
        expect(live.map(({ orderId, role }) => `${orderId} ${role}`).toSorted()).toEqual(
          expected
            .flatMap(({ orderId, roles }) => Object.keys(roles).map((role) => `${orderId} ${role}`))
            .toSorted(),
        );
        for (const { orderId, role, state, amount } of live) {
          const due = expected.find((one) => one.orderId === orderId)?.roles[role as 'referee' | 'referrer'];
          if (state === 'pending' || due?.follows) expect(amount).toBe(due?.amount);
        }
        await scenario.checkInvariants(merchantId);
      }),
      { numRuns: 60 },
    );
  });

  it('are the same for any arrival order of the same accepted versions', async () => {
    await fc.assert(
      fc.asyncProperty(
        ruleArbitrary.map((rule) => ({ ...rule, holdDays: 0 })),
        historyArbitrary.chain((history) =>
          fc.tuple(fc.constant(history), fc.shuffledSubarray(history, { minLength: history.length })),
        ),
        async (rule, [history, shuffled]) => {
          const [one, other] = [await scenario.openMerchant(rule), await scenario.openMerchant(rule)];
          // Links keep their relative order: the first one of a referee counts, and links have no versions.
          const links = history.filter(({ kind }) => kind === 'link');
          const inOrder = shuffled.map((command) => (command.kind === 'link' ? links.shift() : command));
          const skip = ['publish', 'endHolds', 'reachPayments'];
          await play(
            one,
            history.filter(({ kind }) => !skip.includes(kind)),
          );
          await play(
            other,
            (inOrder as ModelCommand[]).filter(({ kind }) => !skip.includes(kind)),
          );
          const live = async (merchantId: string) =>
            (await scenario.rewards(merchantId))
              .filter(({ state }) => state === 'confirmed')
              .map(({ memberId, orderId, role, type }) => `${memberId} ${orderId} ${role} ${type}`)
              .sort();
          expect(await live(one)).toEqual(await live(other));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('stay within caps and budget, unique, and with correct sums when the program changes', async () => {
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        await play(merchantId, history);
        await scenario.checkInvariants(merchantId);
      }),
      { numRuns: 40 },
    );
  });
});
