import { clockTolerance } from '../ledger/clock.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { Call, ShopHistory } from '../ledger/read-history.ts';
import type { ObservedReferral } from '../shop/observe-shop.ts';
import { aliasesOf } from './aliases.ts';
import { erasuresOf, isErasedId } from './erasures.ts';

/** A referral that is live, with the link in force. */
export interface Referral {
  id: string;
  referrer: string;
  referee: string;
  /** Milliseconds since 1970. */
  linkedAt: number;
  review: string;
  /** What made it; undefined when a boot and a link of the server were in flight at its time. */
  source: 'boot' | 'link' | undefined;
  isMoved: boolean;
  /** The calls that linked the referee, in the order in which they were sent. */
  links: LinkCall[];
}

/** The live referrals of a shop by referee, and the members whose rewards this model does not know. */
export interface Referrals {
  byReferee: Map<string, Referral>;
  /** Members of referrals that ended in a merge, erased members, and their referees. */
  leftOut: Set<string>;
}

/** A call that links a member to a referrer. */
interface LinkCall {
  call: Call;
  source: 'boot' | 'link';
  referee: string;
  /** Undefined when it named a code that is not known. */
  referrer: string | undefined;
}

/** What is known about the referrals of a shop from the list of referrals and the calls that made them. */
export function referralsOf(shop: ShopHistory): Referrals {
  const aliases = aliasesOf(shop);
  const byMember = groupBy(linkCallsOf(shop, aliases), ({ referee }) => referee);
  const byReferee = new Map<string, Referral>();
  const leftOut = new Set(erasuresOf(shop).flatMap(({ ids }) => ids));
  for (const one of shop.observed<ObservedReferral>('referrals')) {
    const { referee_member_id: referee, referrer_member_id: referrer } = one;
    const isErased = [referee, referrer].some((id) => isErasedId(id) || leftOut.has(id));
    if (one.ended !== null) leftOut.add(aliases.get(referee) ?? referee);
    if (isErased) leftOut.add(referee);
    if (one.ended !== null || isErased) continue;
    const linkedAt = Date.parse(one.linked_at);
    const links = byMember.get(referee) ?? [];
    byReferee.set(referee, {
      id: one.id,
      referrer,
      referee,
      linkedAt,
      review: one.review,
      links,
      source: sourceOf(links, linkedAt),
      isMoved: one.moves.length > 0,
    });
  }
  return { byReferee, leftOut };
}

/** Who made the call that has the time of the link. */
function sourceOf(links: LinkCall[], linkedAt: number): Referral['source'] {
  const sources = new Set(links.filter(({ call }) => contains(call, linkedAt)).map(({ source }) => source));
  const [source] = sources;
  return sources.size === 1 ? source : undefined;
}

const contains = ({ sentAt, endedAt }: Call, time: number) =>
  sentAt - clockTolerance <= time && time <= endedAt + clockTolerance;

/** All calls that can have stored a link. A link of the server that is answered `already_linked` is kept beside that of a boot. */
function linkCallsOf({ calls }: ShopHistory, aliases: Map<string, string>): LinkCall[] {
  const codes = new Map<string, string>();
  for (const { call, answer } of calls) {
    const { data } = (answer ?? {}) as { data?: { user_id: string; referral_code: string | null } };
    if (call === 'boot' && data?.referral_code) codes.set(data.referral_code, data.user_id);
  }
  const survivor = (id: string) => aliases.get(id) ?? id;
  return calls.flatMap((call): LinkCall[] => {
    if (call.call === 'link') {
      const body = call.body as { referee_member_id: string; referrer_member_id?: string };
      const referrer = body.referrer_member_id;
      return [
        {
          call,
          source: 'link',
          referee: survivor(body.referee_member_id),
          referrer: referrer === undefined ? undefined : survivor(referrer),
        },
      ];
    }
    const { user_id: user, referral_code: code } = (call.body ?? {}) as Record<string, string | undefined>;
    if (call.call !== 'boot' || user === undefined || code === undefined) return [];
    const referrer = codes.get(code);
    return [
      {
        call,
        source: 'boot',
        referee: survivor(user),
        referrer: referrer === undefined ? undefined : survivor(referrer),
      },
    ];
  });
}

/**
 * The link that must be in force instead of the one that is, after docs/linking.md: of a boot and a later link of the server the
 * one of the boot counts if the member was new, otherwise the other. `olderThan` says whether they had a paid order from more than a
 * day before a time. Undefined when the right one is in force, and when a person has moved the link.
 */
export function otherLinkDue(
  { source, links, isMoved }: Referral,
  olderThan: (time: number) => boolean,
): { source: 'boot' | 'link'; referrer: string } | undefined {
  if (isMoved || source === undefined) return undefined;
  const boot = links.find((one) => one.source === 'boot' && isLinked(one.call));
  const later = links.find(
    (one) => one.source === 'link' && boot && one.call.sentAt > boot.call.endedAt && isStored(one.call),
  );
  if (!boot || !later) return undefined;
  const wasOld = olderThan(boot.call.sentAt);
  // An order of a day before the boot, to the second: both are right.
  if (wasOld !== olderThan(boot.call.endedAt)) return undefined;
  const { source: due, referrer } = wasOld ? later : boot;
  return source === due || referrer === undefined ? undefined : { source: due, referrer };
}

/** Whether a boot has stored the first link of its member. */
function isLinked({ outcome, answer }: Call): boolean {
  const { data } = (answer ?? {}) as { data?: { link?: string } };
  return outcome === 'ok' && (data?.link === 'linked' || data?.link === 'not_new');
}

/** Whether a link was stored, in force or to wait. */
function isStored({ outcome, answer }: Call): boolean {
  return outcome === 'ok' || (answer as { code?: string } | undefined)?.code === 'already_linked';
}
