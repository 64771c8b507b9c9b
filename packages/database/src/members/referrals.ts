import { deriveId, isPlaceholderId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable, Transaction } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { runOrRollBack } from '../client/dry-run.ts';
import { enqueueOrders } from '../evaluation/due-batches.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import type { ReferralEnd, ReferralSource, ReviewState } from '../states.ts';
import { endedReferralsOf } from './aliases.ts';
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
  notNew: boolean;
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
  reviewed_by AS "reviewedBy", reviewed_at AS "reviewedAt", not_new AS "notNew", ended, moves,
  from_order_id AS "fromOrderId", orders_enqueued_at AS "ordersEnqueuedAt"`;

/** A referral to be inserted. */
export interface NewReferral {
  merchantId: string;
  referrerMemberId: string;
  refereeMemberId: string;
  source: ReferralSource;
  flags: string[];
  /** Whether its rewards wait for a review; default false. One whose referee looks like another member always does. */
  needsReview?: boolean;
  /** The code that led to the referrer, if one did. */
  code?: string | undefined;
  /** Whether nothing is stored, and only the result is returned. */
  dryRun?: boolean;
}

/** The referral that is stored now, and whether it has the new link. */
interface InsertedReferral {
  referral: Referral;
  isNew: boolean;
}

/** The code is no longer the referrer's: the member was erased meanwhile. */
export class StaleReferralCode extends Error {}

/** The referee has referred the referrer, directly or through others: a cycle earns no rewards. */
export class ReferralCycle extends Error {}

/** A member of a link has no id of their own, but a placeholder: they would be referred, or refer, for all whose id is missing. */
export class PlaceholderMember extends Error {
  readonly side: 'referrer' | 'referee';
  readonly memberId: string;

  constructor(side: PlaceholderMember['side'], memberId: string) {
    super(`the ${side} is a placeholder`);
    this.side = side;
    this.memberId = memberId;
  }
}

/** Finds the referral of a referee; undefined when they have no referrer. */
export async function findReferral(
  prisma: Transaction,
  merchantId: string,
  refereeMemberId: string,
): Promise<Referral | undefined> {
  const found = await prisma.referral.findUnique({
    where: { merchantId_refereeMemberId: { merchantId, refereeMemberId } },
  });
  if (!found) return undefined;
  return {
    ...found,
    source: found.source as ReferralSource,
    review: found.review as ReviewState,
    ended: found.ended as ReferralEnd | null,
  };
}

/**
 * Links a referee to a referrer, unless the referee has a referrer already: of concurrent links the first is kept. The first link of the
 * merchant's server is kept beside that of a boot, and counts if the referee was not new when they booted; the evaluation decides that.
 * Returns the referral as it is then, and whether it has the new link.
 * @throws StaleReferralCode, ReferralCycle, PlaceholderMember
 */
export function insertReferral(database: Database, link: NewReferral): Promise<InsertedReferral> {
  const { merchantId, source } = link;
  const insert = async (tx: Transaction): Promise<InsertedReferral> => {
    const { referrerMemberId, refereeMemberId, code } = await lockLinks(tx, link);
    const resolved = { ...link, referrerMemberId, refereeMemberId, code };
    const existing = await findReferral(tx, merchantId, refereeMemberId);
    if (existing) {
      const kept =
        source === 'link' && existing.source === 'boot' ? await keepLink(tx, existing, resolved) : null;
      if (kept || existing.referrerMemberId === referrerMemberId)
        await audit(tx, { subjectId: existing.id, details: { isNew: kept !== null } });
      return { referral: kept ?? existing, isNew: kept !== null };
    }
    const { flags, review } = await checkLink(tx, resolved);
    const mergedIds = await listEndedReferrals(tx, merchantId, refereeMemberId);
    const id = await idOfReferral(tx, merchantId, refereeMemberId, mergedIds.length);
    const added = await tx.referral.createMany({
      data: { merchantId, id, refereeMemberId, referrerMemberId, code, source, flags, review, mergedIds },
      skipDuplicates: true,
    });
    const referral = await findReferral(tx, merchantId, refereeMemberId);
    if (!referral) throw new Error('the referral was not stored');
    await audit(tx, { subjectId: referral.id, details: { isNew: added.count === 1 } });
    return { referral, isNew: added.count === 1 };
  };
  const inTransaction = (body: typeof insert) => database.$transaction(body);
  const { dryRun = false } = link;
  return retryConflicts(() => runOrRollBack(inTransaction, insert, { dryRun }));
}

/** The members of a link, none of them an alias, and the code that led to the referrer. */
export interface LockedLink {
  referrerMemberId: string;
  refereeMemberId: string;
  code: string;
}

/**
 * Locks both members, and the links of the merchant, which are made one after the other: two concurrent ones could close a cycle that is
 * visible to neither. A link of a member who was merged is one of the surviving member. @throws StaleReferralCode, ReferralCycle, PlaceholderMember
 */
export async function lockLinks(
  tx: Transaction,
  link: Pick<NewReferral, 'merchantId' | 'referrerMemberId' | 'refereeMemberId' | 'code'>,
): Promise<LockedLink> {
  const { merchantId, referrerMemberId, refereeMemberId } = link;
  // Whoever calls this, and also the survivor that an id means.
  if (isPlaceholderId(referrerMemberId)) throw new PlaceholderMember('referrer', referrerMemberId);
  if (isPlaceholderId(refereeMemberId)) throw new PlaceholderMember('referee', refereeMemberId);
  // In one order, so that two links of the same new members in opposite directions do not deadlock.
  const codes = new Map<string, string>();
  for (const memberId of [referrerMemberId, refereeMemberId].toSorted())
    codes.set(memberId, await lockMember(tx, merchantId, memberId));
  const members = await survivorsOf(tx, merchantId, { referrerMemberId, refereeMemberId });
  if (members.referrerMemberId === members.refereeMemberId) throw new ReferralCycle();
  if (members.referrerMemberId !== referrerMemberId || members.refereeMemberId !== refereeMemberId)
    return lockLinks(tx, { ...link, ...members });
  const ownCode = codes.get(referrerMemberId) ?? '';
  const code = link.code ?? ownCode;
  if (code !== ownCode && !(await isCodeOfAlias(tx, merchantId, referrerMemberId, code)))
    throw new StaleReferralCode();
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || ${merchantId}, 0))`;
  return { ...members, code };
}

/**
 * Keeps a link of the merchant's server beside the one of a boot, if it is the first. Returns the referral with that link when the
 * evaluation puts it in force, since the referee was found not to be new; null while the link of the boot counts.
 */
async function keepLink(
  tx: Transaction,
  { merchantId, id: referralId }: Referral,
  link: NewReferral & { code: string },
): Promise<Referral | null> {
  const { referrerMemberId, refereeMemberId, code, source } = link;
  // Evaluations lock the referral too: either they find the link, or this finds what they have stored.
  await tx.$executeRaw`SELECT 1 FROM referrals WHERE merchant_id = ${merchantId} AND id = ${referralId} FOR UPDATE`;
  const locked = await tx.referral.findUniqueOrThrow({
    where: { merchantId_id: { merchantId, id: referralId } },
  });
  if (locked.source !== 'boot' || locked.moves > 0) return null;
  const waiting = await tx.waitingLink.findUnique({
    where: { merchantId_referralId: { merchantId, referralId } },
  });
  if (waiting) return null;
  const { flags, review } = await checkLink(tx, link);
  const kept = await tx.waitingLink.create({
    data: { merchantId, referralId, referrerMemberId, code, source, flags, review },
  });
  if (!locked.notNew) return null;
  // One order is enough: the evaluation that exchanges the links enqueues the others.
  await tx.$executeRaw`
    INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions)
    SELECT merchant_id, ARRAY[order_id], ARRAY[member_id], ARRAY[version] FROM orders
    WHERE merchant_id = ${merchantId} AND member_id = ${refereeMemberId} LIMIT 1`;
  const { flags: keptFlags, linkedAt } = kept;
  const inForce = { referrerMemberId, code, source, flags: keptFlags, review, linkedAt };
  return { ...locked, ...inForce, notNew: false, ended: null, reviewedBy: null, reviewedAt: null };
}

/** The members of a link, with the surviving one in the place of an alias. */
export async function survivorsOf<Members extends Record<string, string>>(
  tx: Transaction,
  merchantId: string,
  members: Members,
): Promise<Members> {
  const aliases = await tx.memberAlias.findMany({
    where: { merchantId, aliasId: { in: Object.values(members) } },
    select: { aliasId: true, memberId: true },
  });
  const survivorOf = new Map(aliases.map(({ aliasId, memberId }) => [aliasId, memberId]));
  const entries = Object.entries(members).map(([name, id]) => [name, survivorOf.get(id) ?? id]);
  return Object.fromEntries(entries) as Members;
}

/** Whether a code is that of an alias of a member. */
async function isCodeOfAlias(
  tx: Transaction,
  merchantId: string,
  memberId: string,
  code: string,
): Promise<boolean> {
  const owner = await tx.member.findUnique({ where: { code, merchantId }, select: { memberId: true } });
  if (!owner) return false;
  const where = { merchantId, aliasId: owner.memberId, memberId };
  return (await tx.memberAlias.findFirst({ where, select: { aliasId: true } })) !== null;
}

/** The ids of referrals of a member that ended when members were merged. */
export async function listEndedReferrals(
  tx: Transaction,
  merchantId: string,
  memberId: string,
): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(endedReferralsOf('$2'), merchantId, memberId);
  return rows.map(({ id }) => id);
}

/**
 * The id of a referee's referral follows from their member id, so that a link that is made again after a restore keeps
 * its id, and its rewards keep their ids. The salt of the merchant is part of it: without the database, the id does not
 * reveal the member. The erasure of a member replaces the salt (`replaceSalt`). A referral that ended in a merge keeps its id: the
 * next one of the member gets another (`ended`, the number of those).
 */
export async function idOfReferral(
  tx: Transaction,
  merchantId: string,
  refereeMemberId: string,
  ended: number,
): Promise<string> {
  const merchant = await tx.merchant.findUnique({ where: { id: merchantId }, select: { idSalt: true } });
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
 * Checks a new link: whether it would close a cycle, with links that wait or without, and whether the referee's id is similar to
 * another member's. Only a referee who is also a referrer can close a cycle. `OFFSET 0` and `(SELECT …)`: see
 * evaluation/order-states.ts.
 * @throws ReferralCycle
 */
export async function checkLink(
  tx: Transaction,
  {
    merchantId,
    referrerMemberId,
    refereeMemberId,
    flags,
    needsReview,
  }: Pick<NewReferral, 'merchantId' | 'referrerMemberId' | 'refereeMemberId' | 'flags' | 'needsReview'>,
): Promise<{ flags: string[]; review: ReviewState }> {
  const [result] = await tx.$queryRaw<{ closesCycle: boolean; looksAlike: boolean }[]>`
    WITH RECURSIVE referrers (member_id) AS (
      SELECT ${referrerMemberId}::text WHERE EXISTS (
        SELECT 1 FROM referrals
        WHERE merchant_id = (SELECT ${merchantId}::text) AND referrer_member_id = ${refereeMemberId}
        UNION ALL
        SELECT 1 FROM waiting_links
        WHERE merchant_id = (SELECT ${merchantId}::text) AND referrer_member_id = ${refereeMemberId})
      UNION
      SELECT link.referrer_member_id FROM referrers CROSS JOIN LATERAL (
        SELECT id, referrer_member_id FROM referrals
        WHERE merchant_id = (SELECT ${merchantId}::text) AND referee_member_id = referrers.member_id OFFSET 0) r
      CROSS JOIN LATERAL (
        SELECT r.referrer_member_id
        UNION ALL
        SELECT w.referrer_member_id FROM waiting_links w
        WHERE w.merchant_id = (SELECT ${merchantId}::text) AND w.referral_id = r.id) link
    )
    SELECT
      EXISTS (SELECT 1 FROM referrers WHERE member_id = ${refereeMemberId}) AS "closesCycle",
      EXISTS (
        SELECT 1 FROM members
        WHERE merchant_id = (SELECT ${merchantId}::text) AND look_alike = ${lookAlikeKey(refereeMemberId)}
          AND member_id <> ${refereeMemberId} AND NOT EXISTS (
            SELECT 1 FROM member_aliases
            WHERE merchant_id = (SELECT ${merchantId}::text) AND alias_id = members.member_id)) AS "looksAlike"`;
  if (!result) throw new Error('the check of a link returned no row');
  if (result.closesCycle) throw new ReferralCycle();
  return {
    flags: result.looksAlike ? [...flags, 'look_alike'] : flags,
    review: result.looksAlike || needsReview ? 'pending' : 'none',
  };
}

/** The review of a referral that needs one. A referral is reviewed once. */
export interface ReferralReview {
  referralId: string;
  decision: 'accepted' | 'rejected';
  /** A console user's e-mail address, or `operator`. */
  by: string;
}

/** A referral after its review. */
export interface ReviewedReferral {
  referral: Referral;
  /** False when it did not need review: nothing was changed. */
  changed: boolean;
  /** The referee's orders, which are due for evaluation because of it. */
  due: DueBatch[];
}

/**
 * Accepts or rejects a referral that needs review and enqueues the referee's orders for evaluation, in one transaction:
 * the evaluation confirms or cancels the rewards that wait. Evaluations of the referee lock the same row. Returns
 * undefined when the merchant has no such referral.
 */
export function reviewReferral(
  database: Database,
  merchantId: string,
  { referralId, decision, by }: ReferralReview,
): Promise<ReviewedReferral | undefined> {
  const review = async (tx: Queryable): Promise<ReviewedReferral | undefined> => {
    const [reviewed] = await tx.query<Referral>(
      `UPDATE referrals SET review = $3, reviewed_by = $4, reviewed_at = clock_timestamp()
       WHERE merchant_id = $1 AND id = $2 AND review = 'pending' RETURNING ${columns}`,
      [merchantId, referralId, decision, by],
    );
    if (reviewed) {
      const due = await enqueueOrders(tx, merchantId, { allOrdersOf: [reviewed.refereeMemberId] });
      await audit(tx);
      return { referral: reviewed, changed: true, due };
    }
    const [referral] = await tx.query<Referral>(
      `SELECT ${columns} FROM referrals WHERE merchant_id = $1 AND id = $2`,
      [merchantId, referralId],
    );
    return referral && { referral, changed: false, due: [] };
  };
  return retryConflicts(() => transact(database, review));
}
