import { escapeInvisible, generateReferralCode, isPlaceholderId, newId } from '@rewardhook/contract';
import { isErasedMember } from '@rewardhook/rewards';
import type { ReferralEnd } from '@rewardhook/rewards';
import { ActRefused } from '../acts.ts';
import type { Act, ActResult } from '../acts.ts';
import { audit, noteUnchanged } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { retryConflicts, TransactionConflict, uniqueViolation } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { lockKey } from '../client/lock-key.ts';
import { readClock } from '../client/timestamps.ts';
import { enqueueOrders } from '../evaluation/due-batches.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import { updateSpent } from '../evaluation/program-usage.ts';
import { lockLinks, lockMembers, lockProgram } from '../locks.ts';
import { withdrawRewards } from '../rewards/rewards.ts';
import { endedReferralsOf, findAliases } from './aliases.ts';
import { closesCycle } from './cycle.ts';
import { lookAlikeKey } from './members.ts';

/** The member `from` is merged into the member `into`: its id becomes an alias of the other one. */
export interface MemberMerge extends Act {
  from: string;
  into: string;
}

/** What a merge changes. */
export interface MergeResult {
  /** The surviving member. */
  memberId: string;
  mergedMemberId: string;
  ordersMoved: number;
  /** Members that the merged one had referred. */
  refereesMoved: number;
  /** The referral of the surviving member; null without one. */
  referralId: string | null;
  endedReferral: { id: string; reason: ReferralEnd } | null;
  /** Pending rewards of the referral that ended. */
  rewardsCancelled: number;
  /** The number of its confirmed rewards, which stay with the member that the merchant was notified of, and the first ids of them. */
  rewardsKept: number;
  keptRewardIds: string[];
}

/** What was done. */
export type MergedMember = MergeResult & ActResult;

/** The most orders, referees and rewards of the merged member: a merge is one transaction. */
const mostMoved = 10_000;

/** The most kept rewards that are named. */
const mostNamed = 100;

/**
 * Merges a member into another one, in one transaction with the locks of an evaluation. A merge into an unused id renames the
 * member. A `key` that was used before returns what was done then. `dryRun` changes nothing and returns what would be done.
 * @throws ActRefused
 */
export function mergeMembers(
  database: Sql,
  { merchantId, from, into, by, key, reason, dryRun = false }: MemberMerge,
): Promise<MergedMember> {
  const text = JSON.stringify({ from, into });
  const merge = async (tx: Queryable): Promise<MergedMember> => {
    await lockKey(tx, merchantId, key);
    const [earlier] = await tx.query<{ request: string; result: MergeResult }>(
      'SELECT request, result FROM member_aliases WHERE merchant_id = $1 AND key = $2',
      [merchantId, key],
    );
    if (earlier) {
      if (earlier.request !== text) throw new ActRefused({ code: 'key_reused', act: 'merge' });
      noteUnchanged();
      return { ...earlier.result, isNew: false, enqueued: [], endpointIds: [] };
    }
    if (dryRun) noteUnchanged();
    const pair = await findPair(tx, { merchantId, from, into });
    const { result, enqueued } = await mergePair(tx, pair);
    const id = newId('mrg');
    await tx.execute(
      `INSERT INTO member_aliases (merchant_id, id, alias_id, member_id, key, request, result, reason, merged_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)`,
      [merchantId, id, pair.from, pair.into, key, text, JSON.stringify(result), reason, by],
    );
    // A trigger allows it only with the alias. The id that the merchant was notified of stays.
    await tx.execute(
      `UPDATE rewards SET member_id = $3,
         issued_member_id = CASE WHEN confirmed_at IS NOT NULL THEN coalesce(issued_member_id, $2) END
       WHERE merchant_id = $1 AND member_id = $2`,
      [merchantId, pair.from, pair.into],
    );
    if (result.referralId !== null)
      await tx.execute(
        `UPDATE referrals SET merged_ids = ARRAY(${endedReferralsOf('$3')}) WHERE merchant_id = $1 AND id = $2`,
        [merchantId, result.referralId, pair.into],
      );
    // Ids of members are not in the audit: its readers find them by the id of the merge, until they are erased.
    const { ordersMoved, refereesMoved, rewardsCancelled, rewardsKept } = result;
    await audit(tx, {
      subjectId: id,
      details: { ordersMoved, refereesMoved, rewardsCancelled, rewardsKept },
    });
    return { ...result, isNew: true, enqueued: dryRun ? [] : enqueued, endpointIds: [] };
  };
  const inTransaction = (body: typeof merge) => transact(database, body);
  return retryConflicts(() => runOrRollBack(inTransaction, merge, { dryRun }), uniqueViolation);
}

/** The merged member and the surviving one. The request may name the survivor by a former id. */
interface Pair extends Pick<MemberMerge, 'merchantId' | 'from' | 'into'> {
  requestedInto: string;
}

/** @throws ActRefused */
async function findPair(tx: Queryable, request: Omit<Pair, 'requestedInto'>): Promise<Pair> {
  const { merchantId, from } = request;
  const aliases = await findAliases(tx, merchantId, [from, request.into]);
  const into = aliases.get(request.into) ?? request.into;
  const survivor = aliases.get(from);
  if ((survivor ?? from) === into) throw new ActRefused({ code: 'one_member' });
  if (survivor !== undefined) throw new ActRefused({ code: 'already_merged', memberId: survivor });
  if (isErasedMember(from) || isErasedMember(into)) throw new ActRefused({ code: 'merged_member_erased' });
  if (isPlaceholderId(request.into) || isPlaceholderId(into))
    throw new ActRefused({ code: 'placeholder_id' });
  if (!(await isKnown(tx, merchantId, from))) throw new ActRefused({ code: 'merged_member_unknown' });
  // A shop that uses such an id has sent it.
  if (escapeInvisible(into) !== undefined && !(await isKnown(tx, merchantId, into)))
    throw new ActRefused({ code: 'unseen_characters' });
  return { merchantId, from, into, requestedInto: request.into };
}

/** Whether the merchant has a member or an order with this id. */
async function isKnown(tx: Queryable, merchantId: string, memberId: string): Promise<boolean> {
  const [known] = await tx.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM members WHERE merchant_id = $1 AND member_id = $2)
       OR EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1 AND member_id = $2) AS exists`,
    [merchantId, memberId],
  );
  return known?.exists ?? false;
}

async function mergePair(tx: Queryable, pair: Pair): Promise<{ result: MergeResult; enqueued: DueBatch[] }> {
  const { merchantId, from, into, requestedInto } = pair;
  // Referrals, then members, then the sum of live rewards, then orders: the order in which evaluations lock. A referral that was
  // being inserted meanwhile is found when they are locked again.
  await lockReferrals(tx, pair);
  const hadNoRow = await addAndLockMembers(tx, pair);
  await lockLinks(tx, merchantId);
  const aliases = await findAliases(tx, merchantId, [from, into, requestedInto]);
  const isSurvivor = (aliases.get(requestedInto) ?? requestedInto) === into && !aliases.has(into);
  if (aliases.has(from) || !isSurvivor)
    throw new TransactionConflict('one of the members was merged or erased meanwhile');
  const referralIds = await lockReferrals(tx, pair);
  await lockProgram(tx, merchantId);
  await refuseWhileOrdersAreDue(tx, pair, referralIds);
  await refuseTooMany(tx, pair);

  const ordersMoved = await tx.execute(
    `UPDATE orders SET member_id = $3, sent_member_id = coalesce(sent_member_id, $2)
     WHERE merchant_id = $1 AND member_id = $2`,
    [merchantId, from, into],
  );
  if (hadNoRow && ordersMoved === 0)
    throw new TransactionConflict('the member was erased, or lost their only order');
  await tx.execute('UPDATE decisions SET member_id = $3 WHERE merchant_id = $1 AND member_id = $2', [
    merchantId,
    from,
    into,
  ]);
  // Parked orders may wait for an operator for any length of time.
  await tx.execute(
    `UPDATE due_batches SET member_ids = array_replace(member_ids, $2, $3)
     WHERE merchant_id = $1 AND parked_at IS NOT NULL AND member_ids @> ARRAY[$2]`,
    [merchantId, from, into],
  );
  const referrals = await mergeReferrals(tx, pair);
  const rewards = await endRewards(tx, pair, referrals.ended?.id);
  await tx.execute('UPDATE member_aliases SET member_id = $3 WHERE merchant_id = $1 AND member_id = $2', [
    merchantId,
    from,
    into,
  ]);
  const { survivor, ended, refereesMoved } = referrals;
  const isEvaluated = survivor !== undefined || ended !== undefined;
  const enqueued = isEvaluated ? await enqueueOrders(tx, merchantId, { allOrdersOf: [into] }) : [];
  const result: MergeResult = {
    memberId: into,
    mergedMemberId: from,
    ordersMoved,
    refereesMoved,
    referralId: survivor?.id ?? null,
    endedReferral: ended ?? null,
    ...rewards,
  };
  return { result, enqueued };
}

/** Locks the referrals of both as evaluations do: one that is running ends first, the next one reads the surviving member. */
async function lockReferrals(tx: Queryable, { merchantId, from, into }: Pair): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM referrals
     WHERE merchant_id = $1 AND (referee_member_id IN ($2, $3) OR referrer_member_id IN ($2, $3) OR id IN (
       SELECT referral_id FROM waiting_links WHERE merchant_id = $1 AND referrer_member_id IN ($2, $3)))
     ORDER BY id FOR UPDATE`,
    [merchantId, from, into],
  );
  return rows.map(({ id }) => id);
}

/**
 * Locks both members, so that neither is linked or erased meanwhile. The row of the merged member stays: its code means the
 * survivor. A survivor with an unused id takes over the code, and the alias gets one that nobody knows. Returns whether the merged member
 * had no row: then only their orders say that there is such a member.
 */
async function addAndLockMembers(tx: Queryable, { merchantId, from, into }: Pair): Promise<boolean> {
  const added = await tx.execute(
    `INSERT INTO members (merchant_id, member_id, code, look_alike) VALUES ($1, $2, $3, $4)
     ON CONFLICT (merchant_id, member_id) DO NOTHING`,
    [merchantId, from, generateReferralCode(), lookAlikeKey(from)],
  );
  const rows = await lockMembers(tx, merchantId, [from, into]);
  const merged = rows.find(({ memberId }) => memberId === from);
  if (!merged) throw new TransactionConflict('the member was erased');
  if (rows.length === 2) return added > 0;
  await tx.execute('UPDATE members SET code = $3 WHERE merchant_id = $1 AND member_id = $2', [
    merchantId,
    from,
    generateReferralCode(),
  ]);
  await tx.execute(
    'INSERT INTO members (merchant_id, member_id, code, look_alike, created_at) VALUES ($1, $2, $3, $4, $5)',
    [merchantId, into, merged.code, lookAlikeKey(into), merged.createdAt],
  );
  return added > 0;
}

/**
 * Orders that are due for evaluation: those of both members, those of a referee without a decision about their newest version, and
 * those that carry a reward of their referrals.
 */
const dueOrdersSql = `
  WITH due AS (
    SELECT unnest(order_ids) AS order_id, unnest(member_ids) AS member_id FROM due_batches
    WHERE merchant_id = $1 AND parked_at IS NULL
  )
  SELECT order_id AS "orderId" FROM due WHERE member_id IN ($2, $3)
  UNION
  SELECT due.order_id FROM due JOIN orders o ON o.merchant_id = $1 AND o.order_id = due.order_id
  WHERE o.member_id IN ($2, $3)
  UNION
  SELECT due.order_id FROM due JOIN rewards w ON w.merchant_id = $1 AND w.order_id = due.order_id
  WHERE w.referral_id = ANY($4)
  UNION
  SELECT o.order_id FROM orders o
  WHERE o.merchant_id = $1 AND o.member_id IN ($2, $3)
    AND EXISTS (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id AND r.ended IS NULL)
    AND NOT EXISTS (
      SELECT 1 FROM decisions d
      WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version)
    AND NOT EXISTS (
      SELECT 1 FROM due_batches b
      WHERE b.merchant_id = o.merchant_id AND b.parked_at IS NOT NULL AND b.order_ids @> ARRAY[o.order_id])
  ORDER BY 1 LIMIT 5`;

async function refuseWhileOrdersAreDue(
  tx: Queryable,
  { merchantId, from, into }: Pair,
  referralIds: string[],
): Promise<void> {
  const due = await tx.query<{ orderId: string }>(dueOrdersSql, [merchantId, from, into, referralIds]);
  if (due.length > 0)
    throw new ActRefused({ code: 'orders_due', orderIds: due.map(({ orderId }) => orderId) });
}

const countsSql = `
  SELECT (SELECT count(*)::int FROM (
      SELECT 1 FROM orders WHERE merchant_id = $1 AND member_id = $2 LIMIT $3) o) AS orders,
    (SELECT count(*)::int FROM (
      SELECT 1 FROM referrals WHERE merchant_id = $1 AND referrer_member_id = $2 LIMIT $3) r) AS referees,
    (SELECT count(*)::int FROM (
      SELECT 1 FROM rewards WHERE merchant_id = $1 AND member_id = $2 LIMIT $3) w) AS rewards`;

async function refuseTooMany(tx: Queryable, { merchantId, from }: Pair): Promise<void> {
  const [counts] = await tx.query<Record<'orders' | 'referees' | 'rewards', number>>(countsSql, [
    merchantId,
    from,
    mostMoved + 1,
  ]);
  for (const what of ['orders', 'referees', 'rewards'] as const)
    if ((counts?.[what] ?? 0) > mostMoved)
      throw new ActRefused({ code: 'merge_too_large', what, most: mostMoved });
}

/** A live referral of one of both, with its links: the one in force, and the one that waits. */
interface Candidate {
  id: string;
  referrerMemberId: string;
  waitingReferrerMemberId: string | null;
}

/**
 * Merges the referrals. Those by which the merged member referred others lead to the survivor. Of those by which both were referred,
 * one whose referrer was referred by either of them ends: it would be a cycle. Of the others, the one linked earlier survives. One
 * that ends gets the alias as its referee, so that nothing finds it as that of the survivor.
 */
async function mergeReferrals(tx: Queryable, { merchantId, from, into }: Pair) {
  const candidates = await tx.query<Candidate>(
    `SELECT r.id, r.referrer_member_id AS "referrerMemberId", w.referrer_member_id AS "waitingReferrerMemberId"
     FROM referrals r LEFT JOIN waiting_links w ON w.merchant_id = r.merchant_id AND w.referral_id = r.id
     WHERE r.merchant_id = $1 AND r.referee_member_id IN ($2, $3) AND r.ended IS NULL
     ORDER BY r.linked_at, r.id`,
    [merchantId, from, into],
  );
  const isCycle = async (referrer: string | null) =>
    referrer !== null && (await closesCycle(tx, merchantId, referrer, [from, into]));
  let survivor: { id: string } | undefined;
  let ended: { id: string; reason: ReferralEnd } | undefined;
  for (const { id, referrerMemberId, waitingReferrerMemberId } of candidates) {
    if (await isCycle(referrerMemberId)) ended = { id, reason: 'cycle' };
    else if (survivor) ended = { id, reason: 'merged' };
    else survivor = { id };
    // A link that waits must not close a cycle when it comes into force.
    if (await isCycle(waitingReferrerMemberId))
      await tx.execute('DELETE FROM waiting_links WHERE merchant_id = $1 AND referral_id = $2', [
        merchantId,
        id,
      ]);
  }
  // Until the survivor has left its former referee free.
  if (ended)
    await tx.execute('UPDATE referrals SET referee_member_id = id WHERE merchant_id = $1 AND id = $2', [
      merchantId,
      ended.id,
    ]);
  const refereesMoved = await tx.execute(
    `UPDATE referrals SET referrer_member_id = $3
     WHERE merchant_id = $1 AND referrer_member_id = $2 AND id IS DISTINCT FROM $4`,
    [merchantId, from, into, ended?.id ?? null],
  );
  await tx.execute(
    'UPDATE waiting_links SET referrer_member_id = $3 WHERE merchant_id = $1 AND referrer_member_id = $2',
    [merchantId, from, into],
  );
  if (survivor)
    await tx.execute('UPDATE referrals SET referee_member_id = $3 WHERE merchant_id = $1 AND id = $2', [
      merchantId,
      survivor.id,
      into,
    ]);
  if (ended)
    await tx.execute(
      `UPDATE referrals SET referee_member_id = $3, ended = $4,
         referrer_member_id = CASE referrer_member_id WHEN $3 THEN $5 ELSE referrer_member_id END,
         orders_enqueued_at = coalesce(orders_enqueued_at, now()),
         review = CASE review WHEN 'pending' THEN 'none' ELSE review END
       WHERE merchant_id = $1 AND id = $2`,
      [merchantId, ended.id, from, ended.reason, into],
    );
  return { survivor, ended, refereesMoved };
}

/** Cancels the pending rewards of a referral that ended. Its confirmed ones stay. */
async function endRewards(
  tx: Queryable,
  { merchantId }: Pair,
  referralId: string | undefined,
): Promise<Pick<MergeResult, 'rewardsCancelled' | 'rewardsKept' | 'keptRewardIds'>> {
  if (referralId === undefined) return { rewardsCancelled: 0, rewardsKept: 0, keptRewardIds: [] };
  const rows = await tx.query<{ id: string; state: string }>(
    `SELECT id, state FROM rewards
     WHERE merchant_id = $1 AND referral_id = $2 AND state IN ('pending', 'confirmed') ORDER BY created_at, id`,
    [merchantId, referralId],
  );
  const at = await readClock(tx);
  const pending = rows.filter(({ state }) => state === 'pending').map(({ id }) => ({ id, at }));
  const cancelled = pending.length > 0 ? await withdrawRewards(tx, merchantId, pending) : [];
  await updateSpent(tx, merchantId, -cancelled.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
  const kept = rows.filter(({ state }) => state === 'confirmed').map(({ id }) => id);
  return {
    rewardsCancelled: cancelled.length,
    rewardsKept: kept.length,
    keptRewardIds: kept.slice(0, mostNamed),
  };
}
