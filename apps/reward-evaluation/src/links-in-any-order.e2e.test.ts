import fc from 'fast-check';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

// Hundreds of histories, each against PostgreSQL.
jest.setTimeout(120_000);

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

const ofBob = (changes: object) =>
  buildOrder({ member_id: 'bob', paid_at: hoursAgo(1), order_date: hoursAgo(1), ...changes });

const old = { order_id: 'old', order_date: '2023-05-01T00:00:00Z' };
/** What can become known about bob: his orders in their versions, and how he came to a referrer. */
const facts = {
  history: (id: string) => scenario.store(id, 1_000, [ofBob(old)]),
  'history cancelled': (id: string) =>
    scenario.store(id, 2_000, [ofBob({ ...old, cancelled_at: hoursAgo(1) })]),
  'history of another member': (id: string) =>
    scenario.store(id, 3_000, [ofBob({ ...old, member_id: 'eve' })]),
  yesterday: (id: string) =>
    scenario.store(id, 4_000, [ofBob({ order_id: 'recent', order_date: hoursAgo(20) })]),
  today: (id: string) => scenario.store(id, 5_000, [ofBob({ order_id: 'today' })]),
  boot: (id: string) => scenario.link(id, 'ann', 'bob', 'boot'),
  link: (id: string) => scenario.link(id, 'carl', 'bob', 'link'),
  move: (id: string) => scenario.move(id, 'dave', 'bob'),
} satisfies Record<string, (merchantId: string) => Promise<unknown>>;
type Fact = keyof typeof facts;
const names = Object.keys(facts) as Fact[];

/** Makes the facts known in this order, evaluating some orders after each. Returns the link in force and the live rewards. */
async function learn(
  rule: Pick<FlatTerms, 'trigger' | 'earlierOrders'>,
  sequence: Fact[],
  evaluated: boolean[],
) {
  const merchantId = await scenario.openMerchant(rule);
  for (const [index, fact] of sequence.entries()) {
    await facts[fact](merchantId);
    if (evaluated[index]) await scenario.evaluateSome(merchantId);
  }
  await scenario.settle(merchantId);
  await scenario.checkInvariants(merchantId);
  const [referral] = await scenario.database.referral.findMany({ where: { merchantId } });
  const rewards = await scenario.rewards(merchantId);
  return {
    link: referral && [referral.referrerMemberId, referral.source, referral.hadOrderBefore],
    live: rewards
      .filter(({ state }) => state === 'confirmed')
      .map(({ memberId, role, orderId, amount }) => `${memberId} ${role} ${orderId} ${amount}`)
      .toSorted((one, other) => one.localeCompare(other)),
  };
}

const linkFacts: Fact[] = ['boot', 'link', 'move'];

/** Two orders of the same facts. The link of the server comes after the boot, and a move after both: which was first is a fact too. */
const ordersArbitrary = fc.subarray(names, { minLength: 2 }).chain((some) => {
  // There is nothing to move without a link.
  const known = some.filter((fact) => fact !== 'move' || some.includes('boot') || some.includes('link'));
  const shuffled = fc.shuffledSubarray(known, { minLength: known.length }).map((sequence) => {
    const links = linkFacts.filter((fact) => known.includes(fact));
    return sequence.map((fact) => (linkFacts.includes(fact) ? (links.shift() ?? fact) : fact));
  });
  return fc.tuple(shuffled, shuffled);
});

describe('The link in force and the rewards', () => {
  it('are the same in whatever order a history, its corrections, a boot, a link and a move of it become known', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          trigger: fc.constantFrom('first_order' as const, 'every_order' as const),
          earlierOrders: fc.constantFrom('count' as const, 'ignore' as const),
        }),
        ordersArbitrary,
        fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length }),
        async (rule, [one, other], evaluated) => {
          expect(await learn(rule, one, evaluated)).toEqual(await learn(rule, other, evaluated));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a boot of a new member counts', ['boot', 'link', 'today'], ['ann', 'boot', false], 2],
    ['an order of yesterday does not make a member old', ['yesterday', 'boot'], ['ann', 'boot', false], 2],
    [
      'a boot of a member with a history earns nothing',
      ['boot', 'today', 'history'],
      ['ann', 'boot', true],
      0,
    ],
    [
      'a link of the server takes its place',
      ['boot', 'today', 'link', 'history'],
      ['carl', 'link', false],
      2,
    ],
    [
      'and gives it back when the history is cancelled',
      ['boot', 'history', 'link', 'today', 'history cancelled'],
      ['ann', 'boot', false],
      2,
    ],
    [
      'or was that of another member',
      ['history', 'boot', 'link', 'today', 'history of another member'],
      ['ann', 'boot', false],
      2,
    ],
  ] as [string, Fact[], [string, string, boolean], number][])('%s', async (_title, known, link, rewards) => {
    const learned = await learn(
      { trigger: 'first_order', earlierOrders: 'count' },
      known,
      known.map(() => true),
    );
    expect([learned.link, learned.live.length]).toEqual([link, rewards]);
  });
});
