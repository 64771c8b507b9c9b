import { isDeepStrictEqual } from 'node:util';
import { randomBase62 } from '@rewardhook/contract';
import { newErasedMemberId } from '@rewardhook/rewards';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts, TransactionConflict } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { listAliases, resolveMember } from './aliases.ts';
import { lookAlikeKey } from './members.ts';
import { eraseFromEvents, deleteResponseBodies } from './erasure-events.ts';
import {
  replaceInReferrals,
  replaceIssuedMemberId,
  replaceMember,
  replaceMemberId,
  replaceSalt,
} from './replace-member.ts';
import type { Erased } from './replace-member.ts';

/** The result of an erasure: rows by table that contained the member's id or code. */
export interface Erasure {
  /** The id that replaces the member's. */
  tombstone: string;
  replaced: Record<
    'members' | 'referrals' | 'orders' | 'decisions' | 'rewards' | 'events' | 'clicks',
    number
  >;
  deliveriesCancelled: number;
}

/** The member cannot be erased now; the message says why and what to do. Nothing was changed. */
export class ErasureRefused extends Error {}

/**
 * Replaces a member's id by a random one everywhere, in one transaction, and their referral code, so that it no
 * longer links to them. Amounts, states and links stay, so that all sums remain the same. An alias means its member, who is erased with
 * all of their ids. Returns undefined when no table contains the member. `dryRun` rolls the transaction back: the counts are exact, and nothing is changed.
 * @throws ErasureRefused while an evaluation or a delivery of theirs is outstanding
 */
export function eraseMember(
  database: Sql,
  merchantId: string,
  memberId: string,
  { cancelDeliveries, dryRun = false }: { cancelDeliveries: boolean; dryRun?: boolean },
): Promise<Erasure | undefined> {
  return retryConflicts(() =>
    runOrRollBack(
      (body: (tx: Queryable) => Promise<Erasure | undefined>) => transact(database, body),
      async (tx) => {
        const memberIds = await listIds(tx, merchantId, memberId);
        const ids = memberIds.map((id) => ({
          merchantId,
          memberId: id,
          tombstone: newErasedMemberId(randomBase62(22)),
        }));
        return eraseEverywhere(tx, ids as [Erased, ...Erased[]], cancelDeliveries);
      },
      { dryRun },
    ),
  );
}

/** All ids of a member: the one that counts, then the former ones. */
async function listIds(tx: Queryable, merchantId: string, memberId: string): Promise<string[]> {
  const survivor = await resolveMember(tx, merchantId, memberId);
  return [survivor, ...(await listAliases(tx, merchantId, survivor))];
}

/** Erases a member by all of their ids: the first one is theirs, the others are aliases, which are forgotten. */
async function eraseEverywhere(
  tx: Queryable,
  ids: [Erased, ...Erased[]],
  cancelDeliveries: boolean,
): Promise<Erasure | undefined> {
  const [{ merchantId, tombstone }] = ids;
  const memberIds = ids.map(({ memberId }) => memberId);
  // Referrals, then the member: the order in which evaluations lock. A referral that was being inserted meanwhile is
  // found when they are locked again.
  await lockReferralsOf(tx, merchantId, memberIds);
  const withoutRow = await addAndLockMembers(tx, ids);
  // A merge that has been committed meanwhile.
  if (!isDeepStrictEqual(await listIds(tx, merchantId, memberIds[0] ?? ''), memberIds))
    throw new TransactionConflict('the member was merged');
  // An order that is being stored under an alias locks it too: it is found below, or belongs to a new member.
  await tx.execute(
    'SELECT 1 FROM member_aliases WHERE merchant_id = $1 AND alias_id = ANY($2) ORDER BY alias_id FOR UPDATE',
    [merchantId, memberIds],
  );
  const referralIds = await lockReferralsOf(tx, merchantId, memberIds);
  const inAll = async (replace: (erased: Erased) => Promise<number>) => {
    let count = 0;
    for (const erased of ids) count += await replace(erased);
    return count;
  };
  // Orders first, then the check of what is due: an order that arrives under the old id from now on belongs to a new
  // member.
  const orders = await inAll((erased) => replaceMemberId(tx, 'orders', erased));
  for (const erased of ids) await refuseWhileEvaluationIsDue(tx, erased, referralIds);
  // Parked orders may wait for an operator for any length of time, so they do not prevent the erasure: they keep
  // waiting under the new id.
  for (const erased of ids)
    await tx.execute(
      `UPDATE due_batches SET member_ids = array_replace(member_ids, $2, $3)
       WHERE merchant_id = $1 AND parked_at IS NOT NULL AND member_ids @> ARRAY[$2]`,
      [merchantId, erased.memberId, erased.tombstone],
    );
  const rewards = await inAll((erased) => replaceMemberId(tx, 'rewards', erased));
  for (const erased of ids) await replaceIssuedMemberId(tx, erased, tombstone);
  // A retry or a replay locks the event first: from here on it sees that the event was changed, and the deliveries that
  // it made due before are found below.
  let events = 0;
  for (const erased of ids) events = await eraseFromEvents(tx, erased, referralIds);
  const deliveriesCancelled = await cancelOpenDeliveries(tx, merchantId, referralIds, cancelDeliveries);
  // Attempts that were being recorded are recorded by now; for later ones the delivery is cancelled.
  await deleteResponseBodies(tx, merchantId, referralIds);
  const decisions = await inAll((erased) => replaceMemberId(tx, 'decisions', erased));
  for (const erased of ids) await replaceInReferrals(tx, erased);
  await tx.execute('DELETE FROM members WHERE merchant_id = $1 AND member_id = ANY($2)', [
    merchantId,
    withoutRow,
  ]);
  let members = 0;
  let clicks = 0;
  for (const erased of ids) {
    const replaced = await replaceMember(tx, erased);
    members += replaced.members;
    clicks += replaced.clicks;
  }
  await tx.execute('DELETE FROM member_aliases WHERE merchant_id = $1 AND alias_id = ANY($2)', [
    merchantId,
    memberIds,
  ]);
  const replaced = { members, referrals: referralIds.length, orders, decisions, rewards, events, clicks };
  const isKnown = Object.values(replaced).some((count) => count > 0);
  if (!isKnown) return undefined;
  // Last, because readers of the event feed wait for the merchant's row.
  await replaceSalt(tx, merchantId);
  // The audit names the id that replaces the member's.
  await audit(tx, { subjectId: tombstone, details: { replaced, deliveriesCancelled } });
  return { tombstone, replaced, deliveriesCancelled };
}

/**
 * Locks the row of each id, so that it is not linked or merged meanwhile. An id without a row, which may have orders, gets one for this
 * time. Returns these ids.
 */
async function addAndLockMembers(tx: Queryable, ids: readonly Erased[]): Promise<string[]> {
  const withoutRow: string[] = [];
  for (const { merchantId, memberId, tombstone } of ids) {
    const added = await tx.execute(
      `INSERT INTO members (merchant_id, member_id, code, look_alike) VALUES ($1, $2, $3, $4)
       ON CONFLICT (merchant_id, member_id) DO NOTHING`,
      [merchantId, memberId, tombstone, lookAlikeKey(tombstone)],
    );
    if (added > 0) withoutRow.push(memberId);
    await tx.execute('SELECT 1 FROM members WHERE merchant_id = $1 AND member_id = $2 FOR UPDATE', [
      merchantId,
      memberId,
    ]);
  }
  return withoutRow;
}

/** Locks a member's referrals as evaluations do: one that is running ends first, the next one reads the new id. */
async function lockReferralsOf(tx: Queryable, merchantId: string, memberIds: string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM referrals
     WHERE merchant_id = $1 AND (referee_member_id = ANY($2) OR referrer_member_id = ANY($2) OR id IN (
       SELECT referral_id FROM waiting_links WHERE merchant_id = $1 AND referrer_member_id = ANY($2)
       UNION ALL
       SELECT referral_id FROM rewards WHERE merchant_id = $1 AND member_id = ANY($2)
       UNION ALL
       SELECT referral_id FROM referral_moves
       WHERE merchant_id = $1 AND ARRAY[from_referrer_member_id, waiting_referrer_member_id, to_referrer_member_id] && $2))
     ORDER BY id FOR UPDATE`,
    [merchantId, memberIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Orders that are due for evaluation: the member's own, those of a referee without a decision about their newest
 * version, and those that carry a reward of their referrals. The member's orders have the new id already ($3).
 */
const dueOrdersSql = `
  WITH due AS (
    SELECT unnest(order_ids) AS order_id, unnest(member_ids) AS member_id FROM due_batches
    WHERE merchant_id = $1 AND parked_at IS NULL
  )
  SELECT o.order_id AS "orderId" FROM orders o
  WHERE o.merchant_id = $1 AND o.member_id = $3
    AND (o.order_id IN (SELECT order_id FROM due)
      OR EXISTS (
          SELECT 1 FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = $2)
        AND NOT EXISTS (
          SELECT 1 FROM decisions d
          WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version)
        AND NOT EXISTS (
          SELECT 1 FROM due_batches b
          WHERE b.merchant_id = o.merchant_id AND b.parked_at IS NOT NULL AND b.order_ids @> ARRAY[o.order_id]))
  UNION
  SELECT due.order_id FROM due JOIN rewards w ON w.merchant_id = $1 AND w.order_id = due.order_id
  WHERE w.referral_id = ANY($4)
  UNION
  SELECT order_id FROM due WHERE member_id = $2
  ORDER BY 1 LIMIT 5`;

/** An evaluation that is due would no longer find the member. */
async function refuseWhileEvaluationIsDue(
  tx: Queryable,
  { merchantId, memberId, tombstone }: Erased,
  referralIds: string[],
): Promise<void> {
  const due = await tx.query<{ orderId: string }>(dueOrdersSql, [
    merchantId,
    memberId,
    tombstone,
    referralIds,
  ]);
  if (due.length === 0) return;
  const ids = due.map(({ orderId }) => orderId).join(', ');
  throw new ErasureRefused(`Orders of the member are due for evaluation (${ids}): try again in a moment.`);
}

/** All attempts of a delivery send the same bytes: deliveries that contain the old id must end first. */
async function cancelOpenDeliveries(
  tx: Queryable,
  merchantId: string,
  referralIds: string[],
  cancel: boolean,
): Promise<number> {
  const open = await tx.query<{ id: string }>(
    `SELECT d.id FROM rewards w
     JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
     JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
     WHERE w.merchant_id = $1 AND w.referral_id = ANY($2) AND d.state IN ('pending', 'held')
     ORDER BY d.id FOR UPDATE OF d`,
    [merchantId, referralIds],
  );
  if (open.length === 0) return 0;
  if (!cancel)
    throw new ErasureRefused(
      `${open.length} deliveries that name the member are still to be sent (such as ${open[0]?.id}): wait for them, ` +
        'or cancel them with --force true.',
    );
  return tx.execute(
    `UPDATE deliveries SET state = 'cancelled', next_attempt_at = NULL, leased_until = NULL, finished_at = clock_timestamp()
     WHERE merchant_id = $1 AND id = ANY($2::uuid[])`,
    [merchantId, open.map(({ id }) => id)],
  );
}
