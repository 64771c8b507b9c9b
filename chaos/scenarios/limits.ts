import { waitFor } from '@rewardhook/local-stack';
import { makeOrder } from '../shop/make-order.ts';
import { readReason, waitForRewards, waitUntilDecided } from '../shop/member-calls.ts';
import { readList } from '../shop/observe-shop.ts';
import type { ObservedReward } from '../shop/observe-shop.ts';
import type { Rule, Shop } from '../shop/open-shop.ts';
import type { Service } from '../service/open-service.ts';
import type { Scenario } from './scenario.ts';

const fixed = (value: number) => ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } });

/** Three rewards of a referrer, and two in a month. */
const capped: Rule = { referee: fixed(100), referrer: fixed(300), referrerCap: { total: 3, month: 2 } };

/** A budget is spent once, so each round publishes one. */
const budgeted = (budget: number): Rule => ({ referee: fixed(1_000), referrer: fixed(700), budget });

/** How long the evaluation of a second order is waited for, in milliseconds. */
const beginsWithinMs = 2_500;

/** Referees whose orders are sent at once. */
const together = 12;

/** Orders of several referees come to the end of caps and of a budget at the same time. */
export const limits: Scenario = {
  name: 'limits',
  what: 'Orders of several members come to the end of a cap, of a cap of a month and of a budget at the same time',
  situation: 'two orders were evaluated at once when a cap, and when a budget, had room for one',
  besideFaults: false,
  async run({ service, shop: openShop, round, random, reached }) {
    const [caps, budget] = await Promise.all([
      openShop('caps', { rule: capped }),
      openShop('budget', { rule: budgeted(1) }),
    ]);
    const areReached = await Promise.all([
      useUpCaps(caps, service, round),
      useUpBudget(budget, service, round, random.integer(2, 5)),
    ]);
    if (areReached.every(Boolean)) reached();
  },
};

/** Uses up the caps of two referrers: of one by two orders at once, of the other by many. */
async function useUpCaps(shop: Shop, service: Service, round: string): Promise<boolean> {
  const lastMonth = new Date();
  lastMonth.setUTCDate(-5);
  const of = (name: string) => Array.from({ length: together }, (_, index) => `${round}-${name}-${index}`);
  const [few, many] = [of('few').slice(0, 4), of('many')];
  await Promise.all([
    ...few.map((referee) => shop.link(referee, `${round}-few`)),
    ...many.map((referee) => shop.link(referee, `${round}-many`)),
  ]);
  const orderOf = (member: string, paidAt = new Date()) =>
    makeOrder({ order_id: `${member}-order`, member_id: member, paid_at: paidAt.toISOString() });
  const [first = '', second = '', third = '', fourth = ''] = few;
  // One of this month: the cap of the month has room for one more.
  await shop.syncUntilAccepted([orderOf(first)]);
  await waitUntilDecided(shop, `${first}-order`);
  const isReached = await evaluateAtOnce(shop, service, [orderOf(second), orderOf(third)]);
  // Of another month: the total cap has room for one more.
  await shop.syncUntilAccepted([orderOf(fourth, lastMonth)]);
  await Promise.all(
    many.map((member, index) => shop.syncUntilAccepted([orderOf(member, index % 2 ? lastMonth : undefined)])),
  );
  await Promise.all([...few, ...many].map((member) => waitUntilDecided(shop, `${member}-order`)));
  return isReached;
}

/** Uses up a budget that has room for the rewards of some orders and for one more reward. */
async function useUpBudget(shop: Shop, service: Service, round: string, fitting: number): Promise<boolean> {
  const rewards = await readList<ObservedReward>(shop, '/api/open/rewards/?limit=200', 'rewards');
  const spent = rewards
    .filter(({ state }) => state === 'confirmed')
    .reduce((sum, { amount }) => sum + amount, 0);
  // Of the two orders at once the second one has room for the smaller reward only.
  await shop.publish(budgeted(spent + fitting * 1_700 + 1_700 + 900));
  const referees = Array.from({ length: fitting + 4 }, (_, index) => `${round}-member-${index}`);
  await Promise.all(referees.map((referee) => shop.link(referee, `${round}-referrer`)));
  const orderOf = (member: string) => makeOrder({ order_id: `${member}-order`, member_id: member });
  const before = referees.slice(0, fitting);
  await Promise.all(before.map((member) => shop.syncUntilAccepted([orderOf(member)])));
  await Promise.all(before.map((member) => waitUntilDecided(shop, `${member}-order`)));
  const [one = '', other = '', ...rest] = referees.slice(fitting);
  const isReached = await evaluateAtOnce(shop, service, [orderOf(one), orderOf(other)]);
  await Promise.all(rest.map((member) => shop.syncUntilAccepted([orderOf(member)])));
  await Promise.all(referees.map((member) => waitUntilDecided(shop, `${member}-order`)));
  // What a cancelled order frees is given to an order that is evaluated afterwards.
  const [cancelled = ''] = before;
  await shop.syncUntilAccepted([{ ...orderOf(cancelled), cancelled_at: new Date().toISOString() }]);
  await waitForRewards(shop, `${cancelled}-order`, (all) => all.every(({ state }) => state === 'revoked'));
  const late = `${round}-late`;
  await shop.link(late, `${round}-referrer`);
  await shop.syncUntilAccepted([orderOf(late)]);
  await waitUntilDecided(shop, `${late}-order`);
  return isReached;
}

/**
 * Sends two orders of which the first is evaluated and not yet committed when the second is. Returns whether both were being evaluated
 * at the same time.
 */
async function evaluateAtOnce(
  shop: Shop,
  { pausePoints }: Service,
  [one, other]: [ReturnType<typeof makeOrder>, ReturnType<typeof makeOrder>],
): Promise<boolean> {
  const pause = await pausePoints.pause('decision-uncommitted', shop.merchantId);
  try {
    await shop.syncUntilAccepted([one]);
    await pause.reached();
    await shop.syncUntilAccepted([other]);
    const areDue = async () => {
      const both = await Promise.all([one, other].map(({ order_id: id }) => readReason(shop, id)));
      return both.every((explained) => explained?.waits_for_evaluation === true);
    };
    await waitFor(areDue, { everyMs: 50, what: 'two orders that are due' });
    // The evaluation of the second one waits for the first, unless a guard is missing.
    return (await pause.untilBlocks(1, beginsWithinMs)) && (await areDue());
  } finally {
    await pause.release();
    await waitUntilDecided(shop, one.order_id);
    await waitUntilDecided(shop, other.order_id);
  }
}
