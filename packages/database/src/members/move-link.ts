import { isErasedMember } from '@rewardhook/rewards';
import { ActRefused } from '../acts.ts';
import type { Act, ActResult } from '../acts.ts';
import { audit, noteUnchanged } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { isDataError, retryConflicts, TransactionConflict } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { enqueueOrders, enqueueOrdersOfReferral } from '../evaluation/due-batches.ts';
import { noEffects, previewMove } from '../evaluation/preview-link.ts';
import type { MovePreview } from '../evaluation/preview-link.ts';
import { lockReferral } from '../locks.ts';
import { resolveMember } from './aliases.ts';
import { addReferral, checkLink, findReferral, lockLink } from './referrals.ts';
import type { Referral } from './referrals.ts';

/** What a person wants: another referrer of a referee, or another order from which the link counts, or both. */
export interface LinkMove extends Act {
  refereeMemberId: string;
  referrerMemberId: string;
  /** The code that led to the referrer, if one did. */
  code?: string | undefined;
  /** An order of the referee that came from the referrer: only orders from its date on count. Null leaves the time of the link. */
  fromOrderId: string | null;
  /** Whether a referee without a link gets one also when the move names no order: from then on. Otherwise it is refused. */
  linksWithoutOrder?: boolean;
  /** Whether the effects are left out, where nobody reads them. They refuse nothing. */
  withoutEffects?: boolean;
}

/** What was done. */
export interface MovedLink extends ActResult {
  /** The referral as it is then. */
  referral: Referral;
  /** Null when there was none. */
  formerReferrerMemberId: string | null;
  /**
   * What evaluations take back and give because of it. Null when they are left out, and when a stored order cannot be read: its evaluation
   * fails as well, and is parked; the link is moved all the same.
   */
  effects: MovePreview | null;
}

type Moved = Omit<MovedLink, 'effects'> & { wasLinked: boolean };

/**
 * Moves the link of a referee to another referrer, for a person, and enqueues the referee's orders in the same transaction: their
 * evaluation, which locks the referral too, withdraws the former referrer's rewards and gives the new one theirs. A referee without
 * a link gets one when the move names an order, or may be without one. A `key` that was used before changes nothing.
 * @throws ActRefused
 */
export async function moveLink(database: Sql, move: LinkMove): Promise<MovedLink> {
  const { refereeMemberId, referrerMemberId } = move;
  if (refereeMemberId === referrerMemberId) throw new ActRefused({ code: 'same_member' });
  if (isErasedMember(refereeMemberId) || isErasedMember(referrerMemberId))
    throw new ActRefused({ code: 'linked_member_erased' });
  const { merchantId, dryRun = false, withoutEffects = false } = move;
  // Before the move is stored: from then on evaluations change these rewards. In a transaction of its own, which such an order ends.
  const effects = withoutEffects ? null : await previewMove(database, merchantId, move).catch(unreadable);
  const inTransaction = (body: (tx: Queryable) => Promise<Moved>) => transact(database, body);
  const { wasLinked, ...moved } = await retryConflicts(() =>
    runOrRollBack(inTransaction, (tx) => moveWithin(tx, move), { dryRun }),
  );
  const result = { ...moved, effects: moved.isNew ? effects : noEffects };
  if (dryRun) noteUnchanged();
  if (dryRun) return { ...result, enqueued: [] };
  if (wasLinked) return result;
  // As for any first link: also orders that were being stored when the link was made.
  return { ...result, enqueued: await enqueueOrdersOfReferral(database, merchantId, moved.referral) };
}

function unreadable(error: unknown): null {
  if (isDataError(error)) return null;
  throw error;
}

async function moveWithin(tx: Queryable, given: LinkMove): Promise<Moved> {
  const { code, ...members } = await lockLink(tx, given);
  const move = { ...given, ...members };
  const { merchantId, refereeMemberId, referrerMemberId, fromOrderId } = move;
  const earlier = await findEarlierMove(tx, move);
  if (earlier) return earlier;
  if (fromOrderId !== null) {
    const [order] = await tx.query<{ memberId: string }>(
      'SELECT member_id AS "memberId" FROM orders WHERE merchant_id = $1 AND order_id = $2',
      [merchantId, fromOrderId],
    );
    if (order?.memberId !== refereeMemberId) throw new ActRefused({ code: 'order_not_of_referee' });
  }
  await lockReferral(tx, merchantId, refereeMemberId);
  const former = await findReferral(tx, merchantId, refereeMemberId);
  const isNewLink = !former && given.linksWithoutOrder;
  if (fromOrderId === null && !isNewLink) await requireChange(tx, move, former);
  const checked = await checkLink(tx, { ...move, flags: [] }, given);
  const added = { merchantId, referrerMemberId, refereeMemberId, code, source: 'link' as const };
  const { referral: linked, isNew } = former
    ? { referral: former, isNew: false }
    : await addReferral(tx, { ...added, ...checked });
  if (!former && !isNew) throw new TransactionConflict('the referee was linked meanwhile');
  const { id } = linked;
  await storeMove(tx, move, { id, code, wasLinked: former !== undefined });
  const enqueued = former ? await enqueueOrders(tx, merchantId, { allOrdersOf: [refereeMemberId] }) : [];
  const referral = await findReferral(tx, merchantId, refereeMemberId);
  if (!referral) throw new Error('the referral was not stored');
  // Without ids of members: entries of the audit stay when one is erased.
  await audit(tx, { subjectId: id, details: { move: referral.moves, fromOrderId } });
  return {
    referral,
    formerReferrerMemberId: former?.referrerMemberId ?? null,
    isNew: true,
    enqueued,
    endpointIds: [],
    wasLinked: former !== undefined,
  };
}

/** @throws ActRefused unless there is a link to move, of those in force and waiting, that leads to somebody else */
async function requireChange(
  tx: Queryable,
  { merchantId, referrerMemberId }: LinkMove,
  former: Referral | undefined,
): Promise<void> {
  if (!former) throw new ActRefused({ code: 'not_linked' });
  const [waiting] = await tx.query<{ referrerMemberId: string }>(
    'SELECT referrer_member_id AS "referrerMemberId" FROM waiting_links WHERE merchant_id = $1 AND referral_id = $2',
    [merchantId, former.id],
  );
  const referrers = [former.referrerMemberId, waiting?.referrerMemberId ?? referrerMemberId];
  if (referrers.every((id) => id === referrerMemberId)) throw new ActRefused({ code: 'link_unchanged' });
}

/** What was done with the key. @throws ActRefused when that was another move */
async function findEarlierMove(
  tx: Queryable,
  { merchantId, key, refereeMemberId, referrerMemberId, fromOrderId }: LinkMove,
): Promise<Moved | undefined> {
  const [earlier] = await tx.query<{
    referralId: string;
    fromReferrerMemberId: string | null;
    toReferrerMemberId: string;
    fromOrderId: string | null;
  }>(
    `SELECT referral_id AS "referralId", from_referrer_member_id AS "fromReferrerMemberId",
       to_referrer_member_id AS "toReferrerMemberId", from_order_id AS "fromOrderId"
     FROM referral_moves WHERE merchant_id = $1 AND key = $2`,
    [merchantId, key],
  );
  if (!earlier) return undefined;
  const referral = await findReferral(tx, merchantId, refereeMemberId);
  // The referrer may have been merged since.
  const to = await resolveMember(tx, merchantId, earlier.toReferrerMemberId);
  const isSame =
    referral?.id === earlier.referralId && to === referrerMemberId && earlier.fromOrderId === fromOrderId;
  if (!isSame) throw new ActRefused({ code: 'key_reused', act: 'move' });
  noteUnchanged();
  const { fromReferrerMemberId: formerReferrerMemberId } = earlier;
  return { referral, formerReferrerMemberId, isNew: false, enqueued: [], endpointIds: [], wasLinked: true };
}

/** Stores what the referral was, and what it is now, of a referral that is locked. Times are copied with their microseconds. */
async function storeMove(
  tx: Queryable,
  { merchantId, referrerMemberId, fromOrderId, reason, by, key }: LinkMove,
  { id, code, wasLinked }: { id: string; code: string; wasLinked: boolean },
): Promise<void> {
  await tx.execute(
    `INSERT INTO referral_moves (merchant_id, referral_id, number, from_referrer_member_id, from_code, from_source,
       from_linked_at, waiting_referrer_member_id, waiting_code, waiting_linked_at, to_referrer_member_id, from_order_id,
       reason, moved_by, key)
     SELECT r.merchant_id, r.id, r.moves + 1, CASE WHEN $3::boolean THEN r.referrer_member_id END,
       CASE WHEN $3::boolean THEN r.code END, CASE WHEN $3::boolean THEN r.source END,
       CASE WHEN $3::boolean THEN r.linked_at END, w.referrer_member_id, w.code, w.linked_at, $4, $5, $6, $7, $8
     FROM referrals r LEFT JOIN waiting_links w ON w.merchant_id = r.merchant_id AND w.referral_id = r.id
     WHERE r.merchant_id = $1 AND r.id = $2`,
    [merchantId, id, wasLinked, referrerMemberId, fromOrderId, reason, by, key],
  );
  await tx.execute(
    `UPDATE referrals SET moves = moves + 1, referrer_member_id = $3, code = $4,
       from_order_id = coalesce($5::text, from_order_id),
       had_order_before = had_order_before AND $5::text IS NULL,
       linked_at = coalesce((SELECT order_date FROM orders WHERE merchant_id = $1 AND order_id = $5::text), linked_at)
     WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id, referrerMemberId, code, fromOrderId],
  );
  // Dates decide which of the two is in force, now and later: both lead to the new referrer.
  await tx.execute(
    `UPDATE waiting_links w SET referrer_member_id = r.referrer_member_id, code = r.code,
       linked_at = CASE WHEN $3::text IS NULL THEN w.linked_at ELSE r.linked_at END
     FROM referrals r
     WHERE r.merchant_id = $1 AND r.id = $2 AND w.merchant_id = r.merchant_id AND w.referral_id = r.id`,
    [merchantId, id, fromOrderId],
  );
}
