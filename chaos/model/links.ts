import { groupBy } from '../ledger/group-by.ts';
import type { Call, ShopHistory } from '../ledger/read-history.ts';
import { erasuresOf } from './erasures.ts';

/** Referrers by their referees, as far as the answers show them. */
export interface Links {
  /** Referee → referrer. */
  referrers: Map<string, string>;
  /** Members for whom several results are correct: acts overlapped, had no answer, or two referrals became one. */
  uncertain: Set<string>;
}

/** Something that was done about links. Its effect was between `from` and `until`. */
interface Act {
  kind: 'link' | 'move-link' | 'merge' | 'erase';
  from: number;
  until: number;
  isCertain: boolean;
  ids: string[];
}

/**
 * Replays links, moved links, merges and erasures in the order of their answers, after docs/linking.md: the first link of a referee
 * counts, a move replaces it, and a merge leads what the former member had to the surviving one. Undefined when members of the shop
 * booted, since that has rules of its own.
 */
export function replayLinks(shop: Pick<ShopHistory, 'calls' | 'acts'>): Links | undefined {
  if (shop.calls.some(({ call }) => call === 'boot')) return undefined;
  const referrers = new Map<string, string>();
  const uncertain = new Set<string>();
  const aliases = new Map<string, string>();
  const lastActs = new Map<string, number>();
  const resolve = (id: string) => aliases.get(id) ?? id;
  for (const { kind, from, until, isCertain, ids } of actsOf(shop)) {
    const [first = '', second = ''] = kind === 'erase' ? ids : ids.map(resolve);
    const changed = kind === 'link' || kind === 'move-link' ? [first] : ids.map(resolve);
    // Two that met may have been done in either order.
    const haveMet = changed.some((id) => (lastActs.get(id) ?? 0) > from);
    for (const id of changed) lastActs.set(id, Math.max(until, lastActs.get(id) ?? 0));
    if (!isCertain || (haveMet && referrers.get(first) !== second))
      for (const id of changed) uncertain.add(id);
    switch (kind) {
      case 'link':
        if (!referrers.has(first)) referrers.set(first, second);
        break;
      case 'move-link':
        referrers.set(first, second);
        break;
      case 'merge':
        merge(first, second);
        break;
      case 'erase':
        for (const id of ids) {
          referrers.delete(id);
          aliases.delete(id);
          uncertain.delete(id);
        }
        for (const [referee, referrer] of referrers) if (ids.includes(referrer)) referrers.delete(referee);
    }
  }
  return { referrers, uncertain };

  function merge(from: string, into: string): void {
    for (const [former, survivor] of aliases) if (survivor === from) aliases.set(former, into);
    aliases.set(from, into);
    const [ofFrom, ofInto] = [referrers.get(from), referrers.get(into)];
    if (uncertain.has(from) || (ofFrom !== undefined && ofInto !== undefined)) uncertain.add(into);
    if (ofFrom !== undefined && ofInto === undefined) referrers.set(into, ofFrom);
    referrers.delete(from);
    for (const [referee, referrer] of referrers) if (referrer === from) referrers.set(referee, into);
    // A referral of the two with one another ends.
    if (referrers.get(into) === into || ofFrom === into) uncertain.add(into);
  }
}

/** The acts that may have an effect, in the order of their answers. Repetitions of a call are one act. */
function actsOf({ calls, acts }: Pick<ShopHistory, 'calls' | 'acts'>): Act[] {
  const sent = calls.filter(({ call }) => call === 'link' || call === 'move-link' || call === 'merge');
  const repeated = groupBy(
    sent.filter(({ body, outcome }) => outcome !== 'refused' && !(body as { dry_run?: boolean }).dry_run),
    ({ call, body, idempotencyKey }) => JSON.stringify([call, body, idempotencyKey]),
  );
  const ofCalls = [...repeated.values()].map((all): Act => {
    const [{ call, body }] = all as [Call];
    const fields = body as Record<string, string | undefined>;
    const ids =
      call === 'merge'
        ? [fields['from_member_id'], fields['into_member_id']]
        : [fields['referee_member_id'], fields['referrer_member_id']];
    const answered = all.filter(({ outcome }) => outcome === 'ok').map(({ endedAt }) => endedAt);
    return {
      kind: call as Act['kind'],
      from: Math.min(...all.map(({ sentAt }) => sentAt)),
      until: answered.length > 0 ? Math.min(...answered) : Number.POSITIVE_INFINITY,
      isCertain: answered.length > 0 && ids.every((id) => id !== undefined),
      ids: ids.map((id) => id ?? ''),
    };
  });
  const erasures = erasuresOf({ acts }).map((one): Act => ({ kind: 'erase', isCertain: true, ...one }));
  return [...ofCalls, ...erasures].toSorted((a, b) => a.until - b.until);
}
