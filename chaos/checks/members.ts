import { groupBy } from '../ledger/group-by.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import { erasuresOf, isErasedId } from '../model/erasures.ts';
import { replayLinks } from '../model/links.ts';
import { isLive } from '../model/rewards.ts';
import type {
  ObservedExplanation,
  ObservedOrder,
  ObservedReferral,
  ObservedReward,
} from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check, Violation } from './check.ts';

/** No order is forgotten when it meets a link, a merge, or the end of a process. */
export const everyOrderEvaluated: Check = {
  name: 'every-order-evaluated',
  promise: 'Every order of a referred member has a decision about its newest state',
  check: (history) =>
    forEachShop(history, (shop) => {
      const referred = new Set(
        shop
          .observed<ObservedReferral>('referrals')
          .filter(({ ended }) => ended === null)
          .map(({ referee_member_id: id }) => id),
      );
      const explanations = new Map(
        shop.observed<ObservedExplanation>('explanations').map((one) => [one.order_id, one]),
      );
      const orders = shop.observed<ObservedOrder>('orders').filter(({ member_id: id }) => referred.has(id));
      const violations = orders.flatMap(({ order_id: id, member_id: member, last_reason: reason }) => {
        const explained = explanations.get(id);
        const about = `order ${id} of ${member}`;
        if (reason === null || explained?.stored_decision === null)
          return [{ text: `${about} has no decision` }];
        return explained?.waits_for_evaluation ? [{ text: `${about} still waits for its evaluation` }] : [];
      });
      // Of a large shop only the newest orders are explained; of the others it is known that they have a decision.
      const leftOut = orders.filter(({ order_id: id }) => !explanations.has(id)).length;
      return { count: orders.length - leftOut, leftOut, violations };
    }),
};

/** Links are those that were asked for, each once. */
export const linksAsAsked: Check = {
  name: 'links-as-asked',
  promise: 'A referee has the referrer of their first link, or of the last move, and both follow merges',
  check: (history) =>
    forEachShop(history, (shop) => {
      const links = replayLinks(shop);
      if (!links) return { count: 0, leftOut: linksOf(shop), violations: [] };
      const live = shop.observed<ObservedReferral>('referrals').filter(({ ended }) => ended === null);
      const byReferee = groupBy(live, ({ referee_member_id: id }) => id);
      const certain = [...links.referrers].filter(([referee]) => !links.uncertain.has(referee));
      const wrong = certain.flatMap(([referee, referrer]) => {
        const found = (byReferee.get(referee) ?? []).map(({ referrer_member_id: id }) => id);
        if (found.length === 1 && found[0] === referrer) return [];
        return [{ text: `${referee} was linked to ${referrer}, and has ${found.join(' and ') || 'nobody'}` }];
      });
      const notAsked = [...byReferee.keys()].filter(
        (id) => !links.referrers.has(id) && !links.uncertain.has(id) && !isErasedId(id),
      );
      return {
        count: certain.length,
        violations: [...wrong, ...notAsked.map((id) => ({ text: `nobody linked ${id}` }))],
      };
    }),
};

/** How many members the shop has asked to link. */
function linksOf({ calls }: ShopHistory): number {
  const referees = calls
    .filter(({ call }) => call === 'link')
    .map(({ body }) => (body as { referee_member_id: string }).referee_member_id);
  return new Set(referees).size;
}

/** Live rewards follow the referral as it is now. */
export const rewardsFollowLinks: Check = {
  name: 'rewards-follow-links',
  promise: 'A live reward belongs to the referrer or referee of its referral, and to an order of the referee',
  check: (history) =>
    forEachShop(history, (shop) => {
      const referrals = new Map(shop.observed<ObservedReferral>('referrals').map((one) => [one.id, one]));
      const orders = new Map(shop.observed<ObservedOrder>('orders').map((one) => [one.order_id, one]));
      // What a person gave stays where it is.
      const live = shop.observed<ObservedReward>('rewards').filter((one) => isLive(one) && !one.corrected);
      const violations = live.flatMap((reward): Violation[] => {
        const about = `the reward ${reward.id} of ${reward.member_id} as ${reward.role}`;
        const referral = referrals.get(reward.referral_id);
        if (!referral) return [{ text: `${about} has no referral` }];
        // What a referral gave before it ended in a merge stays.
        if (referral.ended !== null) return [];
        const named = reward.role === 'referee' ? referral.referee_member_id : referral.referrer_member_id;
        const member = orders.get(reward.order_id)?.member_id ?? 'nobody';
        if (reward.member_id !== named) return [{ text: `${about} is due to ${named}` }];
        if (member === referral.referee_member_id) return [];
        return [{ text: `${about} stands for the order ${reward.order_id} of ${member}` }];
      });
      return { count: live.length, violations };
    }),
};

/** An erased member is nowhere. */
export const erasedIdsGone: Check = {
  name: 'erased-ids-gone',
  promise: 'Nothing from before its erasure shows an erased id, also when the id is used again',
  check: (history) =>
    forEachShop(history, (shop) => {
      const rows = [
        ...rowsOf(shop, 'orders', 'created_at'),
        ...rowsOf(shop, 'rewards', 'created_at'),
        ...rowsOf(shop, 'referrals', 'linked_at'),
        ...rowsOf(shop, 'events', 'created_at'),
        // Read by the scenario when it had erased somebody.
        ...shop
          .observed('after erasure')
          .map((row) => ({ what: 'what is read of them', at: 0, text: JSON.stringify(row) })),
      ];
      const ids = erasuresOf(shop).flatMap((erasure) =>
        erasure.ids.map((id) => ({ id, usedAgainAt: firstUse(shop, id, erasure.until) })),
      );
      const violations = ids.flatMap(({ id, usedAgainAt }) =>
        rows
          .filter((row) => row.at < usedAgainAt && row.text.includes(JSON.stringify(id)))
          .map(({ what }) => ({ text: `${id} was erased, and is in ${what}` })),
      );
      return { count: ids.length, violations };
    }),
};

/** When a call with an id was sent after some time; infinite without one. */
function firstUse({ calls }: ShopHistory, id: string, after: number): number {
  const uses = calls.filter(
    ({ sentAt, body }) => sentAt > after && JSON.stringify(body).includes(JSON.stringify(id)),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...uses.map(({ sentAt }) => sentAt));
}

/** The rows of a list, with their time, in milliseconds since 1970. */
function rowsOf(shop: ShopHistory, what: string, time: 'created_at' | 'linked_at') {
  return shop
    .observed<Record<typeof time, string>>(what)
    .map((row) => ({ what, at: Date.parse(row[time]), text: JSON.stringify(row) }));
}

/** An erased id is that of a new member. */
export const erasedIdsUsable: Check = {
  name: 'erased-ids-usable',
  promise: 'A link of an erased id is one of a new member: it is made',
  check: (history) =>
    forEachShop(history, (shop) => {
      const erased = new Map(erasuresOf(shop).flatMap(({ ids, until }) => ids.map((id) => [id, until])));
      const links = shop.calls.filter(({ call, body, sentAt }) => {
        const { referee_member_id: referee = '' } = body as { referee_member_id?: string };
        return call === 'link' && sentAt > (erased.get(referee) ?? Number.POSITIVE_INFINITY);
      });
      const byReferee = groupBy(
        links,
        ({ body }) => (body as { referee_member_id: string }).referee_member_id,
      );
      const violations = [...byReferee]
        .filter(([, calls]) => calls.every(({ outcome }) => outcome !== 'ok'))
        .map(([id, calls]) => ({
          text: `${id} could not be linked again: ${calls.at(-1)?.status ?? 'no answer'}`,
        }));
      return { count: byReferee.size, violations };
    }),
};
