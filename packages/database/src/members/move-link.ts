import { isErasedMember } from '@rewardhook/rewards';
import { audit, noteUnchanged } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { enqueueOrdersOfReferral } from '../evaluation/due-batches.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import {
  checkLink,
  findReferral,
  idOfReferral,
  listEndedReferrals,
  lockLinks,
  survivorsOf,
} from './referrals.ts';
import type { Referral } from './referrals.ts';

/** What a person wants: another referrer of a referee, or another order from which the link counts, or both. */
export interface LinkMove {
  merchantId: string;
  refereeMemberId: string;
  referrerMemberId: string;
  /** The code that led to the referrer, if one did. */
  code?: string | undefined;
  /** An order of the referee that came from the referrer: only orders from its date on count. Null leaves the time of the link. */
  fromOrderId: string | null;
  /** Why, for people. */
  reason: string;
  /** The e-mail address of a console user, `api`, or `operator`. */
  by: string;
  /** Makes the move once. */
  key: string;
  /** Whether nothing is stored, and only the result is returned. */
  dryRun?: boolean;
}

/** What was done. */
export interface MovedLink {
  /** The referral as it is then. */
  referral: Referral;
  /** Null when there was none. */
  formerReferrerMemberId: string | null;
  /** False when the key was used before, for the same move: nothing was done again. */
  isNew: boolean;
  /** The referee's orders, which are due for evaluation because of it. */
  enqueued: DueBatch[];
}

/** A move is refused; nothing was changed. */
export class MoveRefused extends Error {
  readonly code:
    /** The referee has no link, and the move names no order. */
    | 'not_linked'
    /** The referee has no such order. */
    | 'unknown_order'
    /** A member cannot refer themselves. */
    | 'same_member'
    /** The referral has this referrer, and the move names no order. */
    | 'unchanged'
    /** One of the members was erased. */
    | 'member_erased'
    /** The key was used for another move. */
    | 'key_reused';

  constructor(code: MoveRefused['code']) {
    super(`the move of a link is refused: ${code}`);
    this.code = code;
  }
}

type Moved = MovedLink & { wasLinked: boolean };

/**
 * Moves the link of a referee to another referrer, for a person, and enqueues the referee's orders in the same transaction: their
 * evaluation, which locks the referral too, withdraws the former referrer's rewards and gives the new one theirs. A referee without
 * a link gets one when the move names an order. A `key` that was used before changes nothing.
 * @throws MoveRefused, StaleReferralCode, ReferralCycle, PlaceholderMember
 */
export async function moveLink(database: Database, move: LinkMove): Promise<MovedLink> {
  const { refereeMemberId, referrerMemberId } = move;
  if (refereeMemberId === referrerMemberId) throw new MoveRefused('same_member');
  if (isErasedMember(refereeMemberId) || isErasedMember(referrerMemberId))
    throw new MoveRefused('member_erased');
  const { dryRun = false } = move;
  const inTransaction = (body: (tx: Transaction) => Promise<Moved>) => database.$transaction(body);
  const result = await retryConflicts(() =>
    runOrRollBack(inTransaction, (tx) => moveWithin(tx, move), { dryRun }),
  );
  if (dryRun) noteUnchanged();
  const { wasLinked, ...moved } = result;
  if (wasLinked || dryRun) return moved;
  // As for any first link: also orders that were being stored when the link was made.
  return { ...moved, enqueued: await enqueueOrdersOfReferral(database, move.merchantId, moved.referral) };
}

async function moveWithin(tx: Transaction, given: LinkMove): Promise<Moved> {
  const { code, ...members } = await lockLinks(tx, given);
  const move = { ...given, ...members };
  const { merchantId, refereeMemberId, referrerMemberId, fromOrderId } = move;
  const earlier = await findEarlierMove(tx, move);
  if (earlier) return earlier;
  if (fromOrderId !== null) {
    const where = { merchantId_orderId: { merchantId, orderId: fromOrderId } };
    const order = await tx.order.findUnique({ where, select: { memberId: true } });
    if (order?.memberId !== refereeMemberId) throw new MoveRefused('unknown_order');
  }
  // Evaluations lock the referral too: they decide before the move, or read its result.
  await tx.$executeRaw`
    SELECT 1 FROM referrals WHERE merchant_id = ${merchantId} AND referee_member_id = ${refereeMemberId} FOR UPDATE`;
  const former = await findReferral(tx, merchantId, refereeMemberId);
  if (fromOrderId === null) await requireChange(tx, move, former);
  const { flags, review } = await checkLink(tx, { ...move, flags: [] });
  const mergedIds = await listEndedReferrals(tx, merchantId, refereeMemberId);
  const id = former?.id ?? (await idOfReferral(tx, merchantId, refereeMemberId, mergedIds.length));
  const added = { merchantId, id, refereeMemberId, referrerMemberId, code, flags, review, mergedIds };
  if (!former) await tx.referral.create({ data: { ...added, source: 'link' } });
  await storeMove(tx, move, { id, code, wasLinked: former !== undefined });
  const enqueued = former ? await enqueueOrdersOf(tx, move) : [];
  const referral = await findReferral(tx, merchantId, refereeMemberId);
  if (!referral) throw new Error('the referral was not stored');
  // Without ids of members: entries of the audit stay when one is erased.
  await audit(tx, { subjectId: id, details: { move: referral.moves, fromOrderId } });
  return {
    referral,
    formerReferrerMemberId: former?.referrerMemberId ?? null,
    isNew: true,
    enqueued,
    wasLinked: former !== undefined,
  };
}

/** @throws MoveRefused unless there is a link to move, of those in force and waiting, that leads to somebody else */
async function requireChange(
  tx: Transaction,
  { merchantId, referrerMemberId }: LinkMove,
  former: Referral | undefined,
): Promise<void> {
  if (!former) throw new MoveRefused('not_linked');
  const where = { merchantId_referralId: { merchantId, referralId: former.id } };
  const waiting = await tx.waitingLink.findUnique({ where, select: { referrerMemberId: true } });
  const referrers = [former.referrerMemberId, waiting?.referrerMemberId ?? referrerMemberId];
  if (referrers.every((id) => id === referrerMemberId)) throw new MoveRefused('unchanged');
}

/** What was done with the key. @throws MoveRefused when that was another move */
async function findEarlierMove(
  tx: Transaction,
  { merchantId, key, refereeMemberId, referrerMemberId, fromOrderId }: LinkMove,
): Promise<Moved | undefined> {
  const earlier = await tx.referralMove.findUnique({ where: { merchantId_key: { merchantId, key } } });
  if (!earlier) return undefined;
  const referral = await findReferral(tx, merchantId, refereeMemberId);
  // The referrer may have been merged since.
  const { to } = await survivorsOf(tx, merchantId, { to: earlier.toReferrerMemberId });
  const isSame =
    referral?.id === earlier.referralId && to === referrerMemberId && earlier.fromOrderId === fromOrderId;
  if (!isSame) throw new MoveRefused('key_reused');
  noteUnchanged();
  const { fromReferrerMemberId: formerReferrerMemberId } = earlier;
  return { referral, formerReferrerMemberId, isNew: false, enqueued: [], wasLinked: true };
}

/** Stores what the referral was, and what it is now, of a referral that is locked. Times are copied with their microseconds. */
async function storeMove(
  tx: Transaction,
  { merchantId, referrerMemberId, fromOrderId, reason, by, key }: LinkMove,
  { id, code, wasLinked }: { id: string; code: string; wasLinked: boolean },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO referral_moves (merchant_id, referral_id, number, from_referrer_member_id, from_code, from_source,
      from_linked_at, waiting_referrer_member_id, waiting_code, waiting_linked_at, to_referrer_member_id, from_order_id,
      reason, moved_by, key)
    SELECT r.merchant_id, r.id, r.moves + 1, CASE WHEN ${wasLinked} THEN r.referrer_member_id END,
      CASE WHEN ${wasLinked} THEN r.code END, CASE WHEN ${wasLinked} THEN r.source END,
      CASE WHEN ${wasLinked} THEN r.linked_at END, w.referrer_member_id, w.code, w.linked_at, ${referrerMemberId},
      ${fromOrderId}::text, ${reason}, ${by}, ${key}
    FROM referrals r LEFT JOIN waiting_links w ON w.merchant_id = r.merchant_id AND w.referral_id = r.id
    WHERE r.merchant_id = ${merchantId} AND r.id = ${id}`;
  await tx.$executeRaw`
    UPDATE referrals SET moves = moves + 1, referrer_member_id = ${referrerMemberId}, code = ${code},
      from_order_id = coalesce(${fromOrderId}::text, from_order_id),
      not_new = not_new AND ${fromOrderId === null},
      linked_at = coalesce(
        (SELECT order_date FROM orders WHERE merchant_id = ${merchantId} AND order_id = ${fromOrderId}::text), linked_at)
    WHERE merchant_id = ${merchantId} AND id = ${id}`;
  // Dates decide which of the two is in force, now and later: both lead to the new referrer.
  await tx.$executeRaw`
    UPDATE waiting_links w SET referrer_member_id = r.referrer_member_id, code = r.code,
      linked_at = CASE WHEN ${fromOrderId}::text IS NULL THEN w.linked_at ELSE r.linked_at END
    FROM referrals r
    WHERE r.merchant_id = ${merchantId} AND r.id = ${id} AND w.merchant_id = r.merchant_id AND w.referral_id = r.id`;
}

/** Enqueues all orders of the referee, at most 100 in a batch, the oldest in the first one. */
function enqueueOrdersOf(tx: Transaction, { merchantId, refereeMemberId }: LinkMove): Promise<DueBatch[]> {
  return tx.$queryRaw<DueBatch[]>`
    INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions)
    SELECT merchant_id, array_agg(order_id ORDER BY position), array_agg(member_id ORDER BY position),
      array_agg(version ORDER BY position)
    FROM (
      SELECT merchant_id, order_id, member_id, version,
        row_number() OVER (ORDER BY order_date, order_id COLLATE "C") AS position
      FROM orders
      WHERE merchant_id = ${merchantId} AND member_id = ${refereeMemberId}) o
    GROUP BY merchant_id, (position - 1) / 100
    RETURNING merchant_id AS "merchantId", id::text AS "batchId", orders`;
}
