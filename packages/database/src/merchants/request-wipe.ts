import { modeOf, newId, newMerchantId, testIdPrefix } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import type { Database, Queryable, Transaction } from '../client/client.ts';
import { isoOf } from '../client/database-clock.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { resealFormerIdentitySecrets } from './identity-secrets.ts';
import { lockMerchant } from './merchants.ts';
import { identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** When the deletion of a side's data was requested, if it is running, and when one last ended. ISO 8601 in UTC. */
export interface WipeState {
  requestedAt: string | null;
  wipedAt: string | null;
}

/** Finds whether data that a side of a merchant had is being deleted. */
export async function findWipe(database: Database, merchantId: string): Promise<WipeState> {
  const formerTest = { startsWith: testIdPrefix };
  const of =
    modeOf(merchantId) === 'test'
      ? { merchantId: formerTest, liveMerchant: { testSide: { id: merchantId } } }
      : { merchantId: { not: formerTest }, liveMerchantId: merchantId };
  const [pending, done] = await Promise.all([
    database.wipe.aggregate({ where: { ...of, finishedAt: null }, _min: { requestedAt: true } }),
    database.wipe.aggregate({ where: of, _max: { finishedAt: true } }),
  ]);
  const { requestedAt } = pending._min;
  const { finishedAt } = done._max;
  return { requestedAt: requestedAt && isoOf(requestedAt), wipedAt: finishedAt && isoOf(finishedAt) };
}

const wipedTables = ['members', 'orders', 'referrals', 'rewards', 'events', 'deliveries'] as const;

/** Counts the rows that a wipe of a side deletes; of each table at most 10,001. */
export async function countData(
  database: Queryable,
  merchantId: string,
): Promise<Record<(typeof wipedTables)[number], number>> {
  const counts = wipedTables.map(
    (table) =>
      `(SELECT count(*)::int FROM (SELECT 1 FROM ${table} WHERE merchant_id = $1 LIMIT 10001) bounded) AS ${table}`,
  );
  const [row] = await database.query<Record<(typeof wipedTables)[number], number>>(
    `SELECT ${counts.join(', ')}`,
    [merchantId],
  );
  if (!row) throw new Error('a SELECT of counts has no row');
  return row;
}

/**
 * Gives a test side a new id, with nothing but its settings, keys, webhooks and program: the rows of its former id belong to
 * nobody from then on, and housekeeping deletes them. Ids of referrals, rewards, events and deliveries are new, too, even
 * those of the same orders, so that no receiver takes them for those from before. Returns the new id; undefined when there
 * is no such test side.
 * @throws SealError
 */
export function requestWipe(
  database: Database,
  sealer: Sealer,
  merchantId: string,
): Promise<string | undefined> {
  const move = async (tx: Transaction): Promise<string | undefined> => {
    await lockMerchant(tx, merchantId);
    const side = await tx.merchant.findUnique({
      where: { id: merchantId, mode: 'test' },
      select: { liveMerchantId: true, identitySecret: true },
    });
    if (!side?.liveMerchantId) return undefined;
    const id = await moveToNewId(tx, sealer, { id: merchantId, ...side });
    const { liveMerchantId } = side;
    await tx.wipe.create({ data: { merchantId, liveMerchantId }, select: { merchantId: true } });
    await audit(tx, { subjectId: merchantId });
    return id;
  };
  return retryConflicts(() => database.$transaction(move));
}

/** Why the live data of a merchant is not deleted: its members may have been granted rewards, or are about to be. */
export type WipeRefusal =
  /** A webhook with a `reward.issue` was answered 2xx. */
  | 'answered'
  /** The feed was read when it had a `reward.issue`. */
  | 'read'
  /** What happened to a `reward.issue` was deleted by its age. */
  | 'unknown'
  /** A `reward.issue` is being sent. */
  | 'sending';

/** The live data of a merchant is not deleted; nothing was changed. */
export class LiveWipeRefused extends Error {
  readonly reason: WipeRefusal;

  constructor(reason: WipeRefusal) {
    super(`the live data is not deleted: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Gives the live side of a merchant a new id, as {@link requestWipe} does for a test side, unless anybody may have granted one of
 * its rewards. Sessions, users and the test side follow. Returns the new id; undefined when there is no such live merchant.
 * @throws SealError, LiveWipeRefused
 */
export function requestLiveWipe(
  database: Database,
  sealer: Sealer,
  merchantId: string,
): Promise<string | undefined> {
  const move = async (tx: Transaction): Promise<string | undefined> => {
    await lockMerchant(tx, merchantId);
    const live = await tx.merchant.findUnique({
      where: { id: merchantId, mode: 'live' },
      select: { identitySecret: true, feedReadAt: true },
    });
    if (!live) return undefined;
    // First, because nothing is sent for the former id from then on.
    const id = await moveToNewId(tx, sealer, { id: merchantId, ...live });
    const [found] = await tx.$queryRawUnsafe<{ reason: WipeRefusal | null }[]>(
      findGrantSql,
      merchantId,
      live.feedReadAt,
    );
    if (found?.reason) throw new LiveWipeRefused(found.reason);
    // No foreign keys.
    const former = { where: { merchantId }, data: { merchantId: id } };
    await tx.session.updateMany(former);
    await tx.accountMail.updateMany(former);
    await tx.wipe.create({ data: { merchantId, liveMerchantId: id }, select: { merchantId: true } });
    await audit(tx, { subjectId: merchantId });
    return id;
  };
  return retryConflicts(() => database.$transaction(move));
}

/**
 * The first reason why a reward of a merchant may have been granted; null when there is none. $1 its id, $2 when it last read the
 * feed, of which reads within two minutes are not recorded.
 */
const findGrantSql = `
  WITH issued AS MATERIALIZED (
    SELECT e.id, e.created_at FROM events e WHERE e.merchant_id = $1 AND e.type = 'reward.issue' AND NOT e.sample
  ), sent AS MATERIALIZED (
    SELECT d.id, d.state, d.attempts_made, d.leased_until FROM issued i
    JOIN deliveries d ON d.merchant_id = $1 AND d.event_id = i.id
  ), tried AS MATERIALIZED (
    SELECT a.delivery_id, a.status FROM sent s JOIN attempts a ON a.delivery_id = s.id AND a.merchant_id = $1
  )
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM sent WHERE state = 'delivered')
      OR EXISTS (SELECT 1 FROM tried WHERE status BETWEEN 200 AND 299) THEN 'answered'
    WHEN $2::timestamptz + interval '2 minutes' > (SELECT min(created_at) FROM issued) THEN 'read'
    WHEN EXISTS (SELECT 1 FROM sent WHERE state = 'pending' AND leased_until > clock_timestamp()) THEN 'sending'
    WHEN EXISTS (
        SELECT 1 FROM sent s WHERE s.attempts_made > (SELECT count(*) FROM tried WHERE delivery_id = s.id))
      OR EXISTS (
        SELECT 1 FROM rewards r WHERE r.merchant_id = $1 AND r.confirmed_at IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM events e
          WHERE e.merchant_id = $1 AND e.reward_id = r.id AND e.type = 'reward.issue')) THEN 'unknown'
  END AS reason`;

/** Gives a side of a merchant a new id, and its program too. Returns the new id. */
async function moveToNewId(
  tx: Transaction,
  sealer: Sealer,
  side: { id: string; identitySecret: string },
): Promise<string> {
  const id = newMerchantId(modeOf(side.id));
  const identitySecret = sealer.seal(
    sealer.open(side.identitySecret, identitySecretContext(side.id)),
    identitySecretContext(id),
  );
  // The foreign keys cascade: keys, webhooks, program, verified origins and users get the new id by this.
  await tx.merchant.update({
    where: { id: side.id },
    data: { id, identitySecret, idSalt: crypto.randomUUID() },
    select: { id: true },
  });
  await resealSigningKeys(tx, sealer, { from: side.id, to: id });
  await resealFormerIdentitySecrets(tx, sealer, { from: side.id, to: id });
  await renewProgram(tx, id);
  return id;
}

/** Secrets are sealed for their merchant. */
async function resealSigningKeys(
  tx: Transaction,
  sealer: Sealer,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { id, secret } of await tx.signingKey.findMany({ where: { merchantId: to } }))
    await tx.signingKey.updateMany({
      where: { id },
      data: {
        secret: sealer.seal(sealer.open(secret, signingKeyContext(from, id)), signingKeyContext(to, id)),
      },
    });
}

/** The ids of rewards follow from that of the program. */
async function renewProgram(tx: Transaction, merchantId: string): Promise<void> {
  const programId = newId('prg');
  await tx.program.updateMany({ where: { merchantId }, data: { id: programId, spent: 0 } });
  await tx.programVersion.updateMany({ where: { merchantId }, data: { programId } });
}
