import { randomBase62 } from '@rewardhook/contract';
import { newErasedMemberId } from '@rewardhook/rewards';
import type { Database, PrismaTransaction } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { eraseFromEvents, deleteResponseBodies } from './erasure-events.ts';
import { lookAlikeKey } from './members.ts';

/** What an erasure came to: rows by table that carried the member's id or code. */
export interface Erasure {
  tombstone: string;
  replaced: Record<
    'members' | 'referrals' | 'orders' | 'decisions' | 'rewards' | 'events' | 'clicks',
    number
  >;
  deliveriesCancelled: number;
}

/** The member cannot be erased now; the message says why and what to do. Nothing was changed. */
export class ErasureRefused extends Error {}

/** The member who is erased, and what takes the place of his id and of his code. */
export interface Erased {
  merchantId: string;
  memberId: string;
  tombstone: string;
}

/** So long may an erasure take, in milliseconds: a referrer may have brought very many. */
const mostMs = 600_000;

/**
 * Replaces a member's id by a fresh random tombstone everywhere, in one transaction; his referral code too, so that it
 * leads to nobody. Amounts, states and links stay, so that all books stay balanced. Undefined when nothing knows the
 * member.
 * @throws ErasureRefused while something is under way that would tell his id, or lose track of him
 */
export function eraseMember(
  database: Database,
  merchantId: string,
  memberId: string,
  { cancelDeliveries }: { cancelDeliveries: boolean },
): Promise<Erasure | undefined> {
  const erased = { merchantId, memberId, tombstone: newErasedMemberId(randomBase62(22)) };
  const erase = (tx: PrismaTransaction) => eraseEverywhere(tx, erased, cancelDeliveries);
  return retryConflicts(() => database.$transaction(erase, { timeout: mostMs }));
}

async function eraseEverywhere(
  tx: PrismaTransaction,
  erased: Erased,
  cancelDeliveries: boolean,
): Promise<Erasure | undefined> {
  const { merchantId, memberId, tombstone } = erased;
  // Judgements lock in this order too. A link that was under way is there by the second look.
  await lockReferralsOf(tx, erased);
  await tx.$executeRaw`
    SELECT 1 FROM members WHERE merchant_id = ${merchantId} AND member_id = ${memberId} FOR UPDATE`;
  const referralIds = await lockReferralsOf(tx, erased);
  const where = { merchantId, memberId };
  const data = { memberId: tombstone };
  // Orders come before the look at what waits: from here on one that arrives under the old id is a stranger's.
  const orders = await tx.order.updateMany({ where, data });
  await refuseWhileJudging(tx, erased, referralIds);
  // What is set aside waits for an operator, for as long as it takes: it goes on under the tombstone.
  await tx.$executeRaw`
    UPDATE due_batches SET member_ids = array_replace(member_ids, ${memberId}, ${tombstone})
    WHERE merchant_id = ${merchantId} AND parked_at IS NOT NULL AND member_ids @> ARRAY[${memberId}]`;
  const rewards = await tx.reward.updateMany({ where, data });
  // Who sends an event again locks it before (retryDelivery, runReplayBatch): from here on they see that it was
  // changed, and what they made due until here is met by the look at what is still to be sent.
  const events = await eraseFromEvents(tx, erased, referralIds);
  const deliveriesCancelled = await endDeliveries(tx, merchantId, referralIds, cancelDeliveries);
  // Whoever was recording an attempt has done so by now; who comes later finds his delivery cancelled.
  await deleteResponseBodies(tx, merchantId, referralIds);
  const decisions = await tx.decision.updateMany({ where, data });
  await replaceInReferrals(tx, erased);
  const { members, clicks } = await replaceMember(tx, erased);
  const replaced = {
    members,
    referrals: referralIds.length,
    orders: orders.count,
    decisions: decisions.count,
    rewards: rewards.count,
    events,
    clicks,
  };
  const known = Object.values(replaced).some((count) => count > 0);
  return known ? { tombstone, replaced, deliveriesCancelled } : undefined;
}

/** Locks the referrals as judgements do: one that is under way ends first, the next one sees the tombstone. */
async function lockReferralsOf(tx: PrismaTransaction, { merchantId, memberId }: Erased): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM referrals
    WHERE merchant_id = ${merchantId} AND (referee_member_id = ${memberId} OR referrer_member_id = ${memberId})
    ORDER BY id FOR UPDATE`;
  return rows.map(({ id }) => id);
}

/** An order of his, or one that earned him something, that waits for its judgement would be lost track of. */
async function refuseWhileJudging(
  tx: PrismaTransaction,
  { merchantId, memberId, tombstone }: Erased,
  referralIds: string[],
): Promise<void> {
  const waiting = await tx.$queryRaw<{ order_id: string }[]>`
    WITH due AS (
      SELECT unnest(order_ids) AS order_id, unnest(member_ids) AS member_id FROM due_batches
      WHERE merchant_id = ${merchantId} AND parked_at IS NULL
    )
    SELECT o.order_id FROM orders o
    WHERE o.merchant_id = ${merchantId} AND o.member_id = ${tombstone}
      AND (o.order_id IN (SELECT order_id FROM due)
        OR EXISTS (SELECT 1 FROM referrals r
            WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = ${memberId})
          AND NOT EXISTS (SELECT 1 FROM decisions x
            WHERE x.merchant_id = o.merchant_id AND x.order_id = o.order_id AND x.order_version = o.version)
          AND NOT EXISTS (SELECT 1 FROM due_batches b
            WHERE b.merchant_id = o.merchant_id AND b.parked_at IS NOT NULL AND b.order_ids @> ARRAY[o.order_id]))
    UNION
    SELECT due.order_id FROM due JOIN rewards w ON w.merchant_id = ${merchantId} AND w.order_id = due.order_id
    WHERE w.referral_id = ANY(${referralIds})
    UNION
    SELECT order_id FROM due WHERE member_id = ${memberId}
    ORDER BY 1 LIMIT 5`;
  if (waiting.length === 0) return;
  const names = waiting.map(({ order_id }) => order_id).join(', ');
  throw new ErasureRefused(
    `Orders of the member wait for their judgement (${names}): try again in a moment.`,
  );
}

/** The bytes of a delivery never change over its attempts: what is still to be sent must end before. */
async function endDeliveries(
  tx: PrismaTransaction,
  merchantId: string,
  referralIds: string[],
  cancel: boolean,
): Promise<number> {
  const open = await tx.$queryRaw<{ id: string }[]>`
    SELECT d.id::text FROM rewards w
    JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
    JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
    WHERE w.merchant_id = ${merchantId} AND w.referral_id = ANY(${referralIds}) AND d.state IN ('pending', 'held')
    ORDER BY d.id FOR UPDATE OF d`;
  if (open.length === 0) return 0;
  if (!cancel)
    throw new ErasureRefused(
      `${open.length} deliveries that name the member are still to be sent (such as ${open[0]?.id}): wait for them, ` +
        'or have them cancelled with --force true.',
    );
  return tx.$executeRaw`
    UPDATE deliveries SET state = 'cancelled', next_attempt_at = NULL, finished_at = clock_timestamp()
    WHERE merchant_id = ${merchantId} AND id = ANY(${open.map(({ id }) => id)}::uuid[])`;
}

async function replaceInReferrals(
  tx: PrismaTransaction,
  { merchantId, memberId, tombstone }: Erased,
): Promise<void> {
  await tx.referral.updateMany({
    where: { merchantId, refereeMemberId: memberId },
    data: { refereeMemberId: tombstone },
  });
  await tx.referral.updateMany({
    where: { merchantId, referrerMemberId: memberId },
    data: { referrerMemberId: tombstone, code: tombstone },
  });
}

/** No code has small letters, so that the tombstone in its place is found by nobody. */
async function replaceMember(
  tx: PrismaTransaction,
  { merchantId, memberId, tombstone }: Erased,
): Promise<{ members: number; clicks: number }> {
  const key = { merchantId_memberId: { merchantId, memberId } };
  const member = await tx.member.findUnique({ where: key });
  if (!member) return { members: 0, clicks: 0 };
  const { count } = await tx.click.updateMany({
    where: { merchantId, code: member.code },
    data: { code: tombstone },
  });
  const lookAlike = lookAlikeKey(tombstone);
  await tx.member.update({ where: key, data: { memberId: tombstone, code: tombstone, lookAlike } });
  return { members: 1, clicks: count };
}
