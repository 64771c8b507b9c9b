import { deriveId, isPlaceholderId } from '@rewardhook/contract';
import { ActRefused } from '../acts.ts';
import type { Act, ActRefusal, ActResult } from '../acts.ts';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { retryConflicts, TransactionConflict } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { textArray } from '../client/sql-arrays.ts';
import { enqueueOrders } from '../evaluation/due-batches.ts';
import { lockLinks } from '../locks.ts';
import type { ReferralEnd, ReferralSource, ReviewState } from '../states.ts';
import { endedReferralsOf, findAliases, resolveMember } from './aliases.ts';
import { closesCycle } from './cycle.ts';
import { lockMember, lookAlikeKey } from './members.ts';

/** The link "this member (the referrer) referred that member (the referee)". */
export interface Referral {
  merchantId: string;
  id: string;
  referrerMemberId: string;
  refereeMemberId: string;
  /** The referrer's code. */
  code: string;
  source: ReferralSource;
  linkedAt: Date;
  /** Signs of misuse when it was linked, such as `code_velocity`. */
  flags: string[];
  review: ReviewState;
  /** Who accepted or rejected it: a console user's e-mail address, or `operator`. */
  reviewedBy: string | null;
  reviewedAt: Date | null;
  /** Whether the referee had an order from before the boot that linked them: it earns nothing. */
  hadOrderBefore: boolean;
  /** Why it ended when members were merged; null while it is live. */
  ended: ReferralEnd | null;
  /** The number of moves by a person. */
  moves: number;
  /** The order from whose date on orders count, which `linkedAt` is; null when a person named none. */
  fromOrderId: string | null;
  /** When the referee's earlier orders were enqueued for evaluation. */
  ordersEnqueuedAt: Date | null;
}

const columns = `merchant_id AS "merchantId", id, referrer_member_id AS "referrerMemberId",
  referee_member_id AS "refereeMemberId", code, source, flags, linked_at AS "linkedAt", review,
  reviewed_by AS "reviewedBy", reviewed_at AS "reviewedAt", had_order_before AS "hadOrderBefore", ended, moves,
  from_order_id AS "fromOrderId", orders_enqueued_at AS "ordersEnqueuedAt"`;

/** A referral to be inserted. */
export interface NewReferral extends Pick<Act, 'merchantId' | 'dryRun'> {
  referrerMemberId: string;
  refereeMemberId: string;
  source: ReferralSource;
  flags: string[];
  /** Whether its rewards wait for a review; default false. One whose referee looks like another member always does. */
  needsReview?: boolean;
  /** The code that led to the referrer, if one did. */
  code?: string | undefined;
}

/** The referral that is stored now, and whether it has the new link. */
interface InsertedReferral {
  referral: Referral;
  isNew: boolean;
}

/** Finds the referral of a referee; undefined when they have no referrer. */
export async function findReferral(
  database: Queryable,
  merchantId: string,
  refereeMemberId: string,
): Promise<Referral | undefined> {
  const [referral] = await database.query<Referral>(
    `SELECT ${columns} FROM referrals WHERE merchant_id = $1 AND referee_member_id = $2`,
    [merchantId, refereeMemberId],
  );
  return referral;
}

/**
 * Links a referee to a referrer, unless the referee has a referrer already: of concurrent links the first is kept. The first link of the
 * merchant's server is kept beside that of a boot, and counts if the referee was not new when they booted; the evaluation decides that.
 * Returns the referral as it is then, and whether it has the new link.
 * @throws ActRefused
 */
export function insertReferral(database: Sql, link: NewReferral): Promise<InsertedReferral> {
  const { merchantId, source } = link;
  const insert = async (tx: Queryable): Promise<InsertedReferral> => {
    const { referrerMemberId, refereeMemberId, code } = await lockLink(tx, link);
    const resolved = { ...link, referrerMemberId, refereeMemberId, code };
    const existing = await findReferral(tx, merchantId, refereeMemberId);
    if (existing) {
      const kept =
        source === 'link' && existing.source === 'boot' ? await keepLink(tx, existing, resolved) : null;
      if (kept || existing.referrerMemberId === referrerMemberId)
        await audit(tx, { subjectId: existing.id, details: { isNew: kept !== null } });
      return { referral: kept ?? existing, isNew: kept !== null };
    }
    const { referral, isNew } = await addReferral(tx, { ...resolved, ...(await checkLink(tx, resolved)) });
    await audit(tx, { subjectId: referral.id, details: { isNew } });
    return { referral, isNew };
  };
  const inTransaction = (body: typeof insert) => transact(database, body);
  const { dryRun = false } = link;
  return retryConflicts(() => runOrRollBack(inTransaction, insert, { dryRun }));
}

/** Inserts the referral of a referee who has none, unless another transaction has. Returns the one that is stored then. */
export async function addReferral(
  tx: Queryable,
  link: Pick<
    Referral,
    'merchantId' | 'referrerMemberId' | 'refereeMemberId' | 'code' | 'source' | 'flags' | 'review'
  >,
): Promise<InsertedReferral> {
  const { merchantId, refereeMemberId } = link;
  const ended = await listEndedReferrals(tx, merchantId, refereeMemberId);
  const added = await tx.execute(
    `INSERT INTO referrals
       (merchant_id, id, referee_member_id, referrer_member_id, code, source, flags, review, merged_ids)
     VALUES ($1, $2, $3, $4, $5, $6, $7::text[], $8, $9::text[]) ON CONFLICT DO NOTHING`,
    [
      merchantId,
      await idOfReferral(tx, merchantId, refereeMemberId, ended.length),
      refereeMemberId,
      link.referrerMemberId,
      link.code,
      link.source,
      textArray(link.flags),
      link.review,
      textArray(ended),
    ],
  );
  const referral = await findReferral(tx, merchantId, refereeMemberId);
  if (!referral) throw new Error('the referral was not stored');
  return { referral, isNew: added === 1 };
}

/** The members of a link, none of them an alias, and the code that led to the referrer. */
export interface LockedLink {
  referrerMemberId: string;
  refereeMemberId: string;
  code: string;
}

/**
 * Locks both members, and the links of the merchant. A link of a member who was merged is one of the surviving member.
 * @throws ActRefused
 */
export async function lockLink(
  tx: Queryable,
  link: Pick<NewReferral, 'merchantId' | 'referrerMemberId' | 'refereeMemberId' | 'code'>,
): Promise<LockedLink> {
  const { merchantId, referrerMemberId, refereeMemberId } = link;
  // Whoever calls this, and also the survivor that an id means.
  const placeholder = { code: 'placeholder_member', byCode: link.code !== undefined } as const;
  if (isPlaceholderId(referrerMemberId))
    throw new ActRefused({ ...placeholder, side: 'referrer', memberId: referrerMemberId });
  if (isPlaceholderId(refereeMemberId))
    throw new ActRefused({ ...placeholder, side: 'referee', memberId: refereeMemberId });
  // In one order, so that two links of the same new members in opposite directions do not deadlock.
  const codes = new Map<string, string>();
  for (const memberId of [referrerMemberId, refereeMemberId].toSorted())
    codes.set(memberId, await lockMember(tx, merchantId, memberId));
  const aliases = await findAliases(tx, merchantId, [referrerMemberId, refereeMemberId]);
  const members = {
    referrerMemberId: aliases.get(referrerMemberId) ?? referrerMemberId,
    refereeMemberId: aliases.get(refereeMemberId) ?? refereeMemberId,
  };
  if (members.referrerMemberId === members.refereeMemberId)
    throw new ActRefused({ code: 'referral_cycle', referrerMemberId, refereeMemberId });
  if (aliases.size > 0) return lockLink(tx, { ...link, ...members });
  const ownCode = codes.get(referrerMemberId) ?? '';
  const code = link.code ?? ownCode;
  if (code !== ownCode && !(await isCodeOfAlias(tx, merchantId, referrerMemberId, code)))
    throw new ActRefused({ code: 'stale_code' });
  await lockLinks(tx, merchantId);
  return { ...members, code };
}

/**
 * Keeps a link of the merchant's server beside the one of a boot, if it is the first. Returns the referral with that link when the
 * evaluation puts it in force, since the referee was found not to be new; null while the link of the boot counts.
 */
async function keepLink(
  tx: Queryable,
  { merchantId, id: referralId }: Referral,
  link: NewReferral & { code: string },
): Promise<Referral | null> {
  const { referrerMemberId, refereeMemberId, code, source } = link;
  // Evaluations lock the referral too: either they find the link, or this finds what they have stored.
  const [locked] = await tx.query<Referral>(
    `SELECT ${columns} FROM referrals WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
    [merchantId, referralId],
  );
  if (!locked) throw new TransactionConflict('the referral was erased');
  if (locked.source !== 'boot' || locked.moves > 0) return null;
  const waiting = await tx.query('SELECT 1 FROM waiting_links WHERE merchant_id = $1 AND referral_id = $2', [
    merchantId,
    referralId,
  ]);
  if (waiting.length > 0) return null;
  const { flags, review } = await checkLink(tx, link);
  const [kept] = await tx.query<{ linkedAt: Date }>(
    `INSERT INTO waiting_links (merchant_id, referral_id, referrer_member_id, code, source, flags, review)
     VALUES ($1, $2, $3, $4, $5, $6::text[], $7) RETURNING linked_at AS "linkedAt"`,
    [merchantId, referralId, referrerMemberId, code, source, textArray(flags), review],
  );
  if (!kept || !locked.hadOrderBefore) return null;
  // One order is enough: the evaluation that exchanges the links enqueues the others.
  const orders = await tx.query<{ orderId: string }>(
    'SELECT order_id AS "orderId" FROM orders WHERE merchant_id = $1 AND member_id = $2 LIMIT 1',
    [merchantId, refereeMemberId],
  );
  await enqueueOrders(tx, merchantId, { orderIds: orders.map(({ orderId }) => orderId) });
  const inForce = { referrerMemberId, code, source, flags, review, linkedAt: kept.linkedAt };
  return { ...locked, ...inForce, hadOrderBefore: false, ended: null, reviewedBy: null, reviewedAt: null };
}

/** Whether a code is that of an alias of a member. */
async function isCodeOfAlias(
  tx: Queryable,
  merchantId: string,
  memberId: string,
  code: string,
): Promise<boolean> {
  const [owner] = await tx.query<{ memberId: string }>(
    'SELECT member_id AS "memberId" FROM members WHERE code = $2 AND merchant_id = $1',
    [merchantId, code],
  );
  return owner !== undefined && (await resolveMember(tx, merchantId, owner.memberId)) === memberId;
}

/** The ids of referrals of a member that ended when members were merged. */
async function listEndedReferrals(tx: Queryable, merchantId: string, memberId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(endedReferralsOf('$2'), [merchantId, memberId]);
  return rows.map(({ id }) => id);
}

/**
 * The id of a referee's referral follows from their member id, so that a link that is made again after a restore keeps
 * its id, and its rewards keep their ids. The salt of the merchant is part of it: without the database, the id does not
 * reveal the member. The erasure of a member replaces the salt (`replaceSalt`). A referral that ended in a merge keeps its id: the
 * next one of the member gets another (`ended`, the number of those).
 */
async function idOfReferral(
  tx: Queryable,
  merchantId: string,
  refereeMemberId: string,
  ended: number,
): Promise<string> {
  const [merchant] = await tx.query<{ idSalt: string }>(
    'SELECT id_salt AS "idSalt" FROM merchants WHERE id = $1',
    [merchantId],
  );
  // Tests link members of merchants that do not exist.
  return deriveId(
    'ref',
    merchantId,
    merchant?.idSalt ?? '',
    refereeMemberId,
    ...(ended > 0 ? [String(ended)] : []),
  );
}

/**
 * Checks a new link: whether it would close a cycle, and whether the referee's id is similar to another member's. `(SELECT …)`: see
 * evaluation/order-states.ts.
 * @throws ActRefused with the members as the caller named them, when it was by former ids
 */
export async function checkLink(
  tx: Queryable,
  {
    merchantId,
    referrerMemberId,
    refereeMemberId,
    flags,
    needsReview,
  }: Pick<NewReferral, 'merchantId' | 'referrerMemberId' | 'refereeMemberId' | 'flags' | 'needsReview'>,
  named: Pick<NewReferral, 'referrerMemberId' | 'refereeMemberId'> = { referrerMemberId, refereeMemberId },
): Promise<{ flags: string[]; review: ReviewState }> {
  if (await closesCycle(tx, merchantId, referrerMemberId, [refereeMemberId]))
    throw new ActRefused({
      code: 'referral_cycle',
      referrerMemberId: named.referrerMemberId,
      refereeMemberId: named.refereeMemberId,
    });
  const similar = await tx.query(
    `SELECT 1 FROM members
     WHERE merchant_id = (SELECT $1::text) AND look_alike = $2 AND member_id <> $3 AND NOT EXISTS (
       SELECT 1 FROM member_aliases
       WHERE merchant_id = (SELECT $1::text) AND alias_id = members.member_id) LIMIT 1`,
    [merchantId, lookAlikeKey(refereeMemberId), refereeMemberId],
  );
  const looksAlike = similar.length > 0;
  return {
    flags: looksAlike ? [...flags, 'look_alike'] : flags,
    review: looksAlike || needsReview ? 'pending' : 'none',
  };
}

/** The review of a referral that needs one. A referral is reviewed once. */
export interface ReferralReview extends Pick<Act, 'merchantId' | 'by'> {
  referralId: string;
  decision: 'accepted' | 'rejected';
}

/** A referral after its review. */
export interface ReviewedReferral extends Omit<ActResult, 'isNew'> {
  referral: Referral;
}

/**
 * Accepts or rejects a referral that needs review and enqueues the referee's orders for evaluation, in one transaction:
 * the evaluation confirms or cancels the rewards that wait. Evaluations of the referee lock the same row.
 * @throws ActRefused
 */
export function reviewReferral(
  database: Sql,
  { merchantId, referralId, decision, by }: ReferralReview,
): Promise<ReviewedReferral> {
  const review = async (tx: Queryable): Promise<ReviewedReferral> => {
    const [reviewed] = await tx.query<Referral>(
      `UPDATE referrals SET review = $3, reviewed_by = $4, reviewed_at = clock_timestamp()
       WHERE merchant_id = $1 AND id = $2 AND review = 'pending' RETURNING ${columns}`,
      [merchantId, referralId, decision, by],
    );
    if (!reviewed) throw new ActRefused(await whyNotReviewed(tx, merchantId, referralId));
    const enqueued = await enqueueOrders(tx, merchantId, { allOrdersOf: [reviewed.refereeMemberId] });
    await audit(tx);
    return { referral: reviewed, enqueued, endpointIds: [] };
  };
  return retryConflicts(() => transact(database, review));
}

async function whyNotReviewed(tx: Queryable, merchantId: string, referralId: string): Promise<ActRefusal> {
  const [stored] = await tx.query<Pick<Referral, 'review' | 'reviewedBy'>>(
    'SELECT review, reviewed_by AS "reviewedBy" FROM referrals WHERE merchant_id = $1 AND id = $2',
    [merchantId, referralId],
  );
  return stored
    ? { code: 'referral_not_reviewable', referralId, ...stored }
    : { code: 'referral_unknown', merchantId, referralId };
}
