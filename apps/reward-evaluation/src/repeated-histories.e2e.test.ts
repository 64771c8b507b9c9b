import fc from 'fast-check';
import { expectedLive, historyArbitrary, ruleArbitrary } from '../testing/model.ts';
import type { ModelCommand } from '../testing/model.ts';
import { newMerchantIds, openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

jest.setTimeout(60_000);

let scenarios: Scenario[];
beforeAll(async () => (scenarios = [await openScenario(), await openScenario()]));
afterAll(() => Promise.all(scenarios.map((scenario) => scenario.close())));

/** Runs the commands one after the other, each with all that follows from it. */
async function play(scenario: Scenario, merchantId: string, history: ModelCommand[]): Promise<void> {
  for (const command of history) {
    if (command.kind === 'send') await scenario.store(merchantId, command.version, [command.order]);
    else if (command.kind === 'link') await scenario.link(merchantId, command.referrer, command.referee);
    else if (command.kind === 'endHolds') await scenario.endHolds(merchantId);
    else if (command.kind === 'reachPayments') await scenario.reachPayments(merchantId);
    else if (command.kind === 'publish') await scenario.publish(merchantId, command.rule);
    await scenario.settle(merchantId);
  }
}

/** The ids that merchants see, with what they stand for. */
async function listIds({ database }: Scenario, merchantId: string) {
  const where = { merchantId };
  const [referrals, rewards, events, deliveries] = await Promise.all([
    database.referral.findMany({ where }),
    database.reward.findMany({ where }),
    database.event.findMany({ where }),
    database.delivery.findMany({ where }),
  ]);
  return {
    referrals: referrals.map(({ id, refereeMemberId }) => `${id} ${refereeMemberId}`).sort(),
    rewards: rewards.map(({ id, subject, role, state }) => `${id} ${subject} ${role} ${state}`).sort(),
    events: events.map(({ id, rewardId, type }) => `${id} ${rewardId} ${type}`).sort(),
    deliveries: deliveries.map(({ id, eventId }) => `${id} ${eventId}`).sort(),
  };
}

describe('A history that is repeated after a restore', () => {
  it('gives referrals, rewards, events and deliveries the ids that they had before', async () => {
    let rewards = 0;
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        // Few random histories earn a reward. Of these, a program that is published before the order may take it away.
        fc.pre(expectedLive(rule, history).length > 0);
        const known = newMerchantIds();
        const repeated: Awaited<ReturnType<typeof listIds>>[] = [];
        for (const scenario of scenarios) {
          const merchantId = await scenario.openMerchant(rule, known);
          await play(scenario, merchantId, history);
          repeated.push(await listIds(scenario, merchantId));
        }
        expect(repeated[1]).toEqual(repeated[0]);
        rewards += repeated[0]?.rewards.length ?? 0;
      }),
      { numRuns: 8 },
    );
    expect(rewards).toBeGreaterThan(0);
  });
});
