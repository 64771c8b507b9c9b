import { clockTolerance } from '../ledger/clock.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { SentOrder } from '../ledger/entries.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import { aliasesOf } from '../model/aliases.ts';
import { rewardsByHand } from '../model/corrections.ts';
import { worthOf } from '../model/final-orders.ts';
import type { ObservedEvent, ObservedReward } from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check, CheckResult } from './check.ts';

/** The feed has what became of each reward. */
export const issuedOnce: Check = {
  name: 'issued-once',
  promise:
    'A confirmed reward is issued once, a revoked one is issued and then revoked once, and others have no event',
  check: (history) => forEachShop(history, checkIssues),
};

const expectedTypes: Record<ObservedReward['state'], string[]> = {
  pending: [],
  confirmed: ['reward.issue'],
  revoked: ['reward.issue', 'reward.revoke'],
  cancelled: [],
};

function checkIssues(shop: ShopHistory): CheckResult {
  const rewards = shop.observed<ObservedReward>('rewards');
  // An event of a reward that is not sent, since a webhook would grant twice, is in the feed too (docs/rewards.md).
  const events = shop.observed<ObservedEvent>('events').filter(({ type }) => type.startsWith('reward.'));
  const byReward = groupBy(events, ({ data }) => data.reward.id);
  const violations = rewards.flatMap((reward) => {
    const own = byReward.get(reward.id) ?? [];
    const [is, must] = [own.map(({ type }) => type), expectedTypes[reward.state]].map((types) =>
      types.join(', '),
    );
    const problems = is === must ? [] : [`is ${reward.state} and has the events: ${is || 'none'}`];
    for (const { id, data } of own)
      if (data.reward.amount !== reward.amount || data.role !== reward.role || !isOf(data.member_id, reward))
        problems.push(
          `is ${reward.amount} for the ${reward.role} ${reward.member_id}, and event ${id} has ${data.reward.amount} for the ${data.role} ${data.member_id}`,
        );
    return problems.map((problem) => ({ text: `reward ${reward.id} ${problem}` }));
  });
  const known = new Set(rewards.map(({ id }) => id));
  for (const id of byReward.keys())
    if (!known.has(id)) violations.push({ text: `the feed has events of reward ${id}, which is not there` });
  return { count: rewards.length, violations };
}

/** The events of a reward keep the id that its first one had, also after a merge. */
const isOf = (memberId: string, reward: ObservedReward) =>
  memberId === reward.member_id || memberId === reward.issued_member_id;

/** Times follow the order of what happened. */
export const noEventBeforeItsCause: Check = {
  name: 'no-event-before-its-cause',
  promise:
    'No event of a reward is dated before the request was sent that caused it, and no revocation before its issue',
  check: (history) => forEachShop(history, checkTimes),
};

function checkTimes(shop: ShopHistory): CheckResult {
  const causes = causesOf(shop);
  const events = shop.observed<ObservedEvent>('events').filter(({ type }) => type.startsWith('reward.'));
  const issuedAt = new Map(
    events
      .filter(({ type }) => type === 'reward.issue')
      .map(({ created_at: at, data }) => [data.reward.id, Date.parse(at)]),
  );
  const violations = events.flatMap((event) => {
    const { id, type, created_at: at, data } = event;
    const about = `${type} ${id} of order ${data.order.order_id} is dated ${at}`;
    if (Date.parse(at) < (issuedAt.get(data.reward.id) ?? 0)) return [{ text: `${about}, before its issue` }];
    const early = causes.earliest(event) - Date.parse(at);
    return early <= clockTolerance
      ? []
      : [{ text: `${about}, ${Math.round(early)} ms before its cause was sent` }];
  });
  return { count: events.length, violations };
}

/** What a state of an order must be to cause a revocation for a reason. */
const causesRevocation: Record<string, (state: SentOrder) => boolean> = {
  cancelled: (state) => worthOf(state).isCancelled,
  returned: ({ returned_at: returnedAt }) => returnedAt !== null,
  not_paid: ({ paid_at: paidAt }) => paidAt === null,
  unsupported_currency: ({ currency }) => currency !== null && currency !== 'KRW',
};

/** The earliest requests that can have caused the events of a shop. */
function causesOf(shop: ShopHistory): { earliest(event: ObservedEvent): number } {
  const aliases = aliasesOf(shop);
  const survivor = (id: string) => aliases.get(id) ?? id;
  const calls = shop.calls.filter(({ outcome }) => outcome !== 'refused');
  const states = calls
    .filter(({ call }) => call === 'sync')
    .flatMap(({ body, sentAt }) =>
      (body as { orders: SentOrder[] }).orders.map((state) => ({ state, sentAt })),
    );
  const byOrder = groupBy(states, ({ state }) => state.order_id);
  const byMember = groupBy(states, ({ state }) => survivor(state.member_id));
  const links = calls
    .filter(({ call }) => ['link', 'boot', 'move-link'].includes(call))
    .map(({ call, body, sentAt }) => {
      const { referee_member_id: referee, user_id: user } = body as Record<string, string | undefined>;
      return { call, member: survivor(referee ?? user ?? ''), sentAt };
    });
  const byReferee = groupBy(links, ({ member }) => member);
  const byHand = rewardsByHand(shop);

  /** When the last of those requests was sent without which there is no such reward: its order as paid, and its link. */
  function earliestIssue({ data }: ObservedEvent): number {
    const own = byOrder.get(data.order.order_id) ?? [];
    // A person can give a reward for an order that is not paid.
    const paid = byHand.has(data.reward.id) ? own : own.filter(({ state }) => state.paid_at !== null);
    return Math.max(firstOf(paid), firstOf(byReferee.get(survivor(data.referral.referee_member_id)) ?? []));
  }

  function earliestRevocation({ data: { reason = '', reward, order, referral } }: ObservedEvent): number {
    const referee = survivor(referral.referee_member_id);
    const isCause = causesRevocation[reason];
    if (isCause) return firstOf((byOrder.get(order.order_id) ?? []).filter(({ state }) => isCause(state)));
    if (reason === 'not_first_order')
      return firstOf((byMember.get(referee) ?? []).filter(({ state }) => state.order_id !== order.order_id));
    if (reason === 'link_moved')
      return firstOf((byReferee.get(referee) ?? []).filter(({ call }) => call === 'move-link'));
    if (reason === 'revoked_by_person')
      return firstOf(calls.filter(({ call, path }) => call === 'revoke' && path.includes(reward.id)));
    // Other reasons have several causes.
    return Number.NEGATIVE_INFINITY;
  }

  return {
    earliest: (event) =>
      Math.max(earliestIssue(event), event.type === 'reward.revoke' ? earliestRevocation(event) : 0),
  };
}

/** When the first of some requests was sent. Without one, as of a member who was erased, nothing is known. */
function firstOf(requests: { sentAt: number }[]): number {
  if (requests.length === 0) return Number.NEGATIVE_INFINITY;
  return requests.reduce((least, { sentAt }) => Math.min(least, sentAt), Number.POSITIVE_INFINITY);
}
