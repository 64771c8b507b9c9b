import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';

/** What an operator can pause: requests that the merchant sends, and deliveries to it. */
export const pausable = ['ingest', 'delivery'] as const;
export type Pausable = (typeof pausable)[number];

/** What an operator has paused of a merchant, since when and why. */
export interface MerchantPause {
  ingestPausedAt: Date | null;
  deliveryPausedAt: Date | null;
  pauseReason: string | null;
  /** Who the merchant can ask: an address, a URL or a telephone number, which it is shown. */
  pauseContact: string | null;
}

const pauseColumns = `ingest_paused_at AS "ingestPausedAt", delivery_paused_at AS "deliveryPausedAt",
  pause_reason AS "pauseReason", pause_contact AS "pauseContact"`;

/** Both sides of a live merchant, in one order: endpoints that are registered at the same time wait. */
const lockSql = `
  SELECT id FROM merchants WHERE (id = $1 AND mode = 'live') OR live_merchant_id = $1 ORDER BY id FOR NO KEY UPDATE`;

const pauseSql = `
  UPDATE merchants SET
    ingest_paused_at = CASE WHEN 'ingest' = ANY ($2) THEN coalesce(ingest_paused_at, now()) ELSE ingest_paused_at END,
    delivery_paused_at = CASE WHEN 'delivery' = ANY ($2) THEN coalesce(delivery_paused_at, now()) ELSE delivery_paused_at END,
    pause_reason = $3, pause_contact = $4
  WHERE id = $1
  RETURNING ${pauseColumns}`;

const resumeSql = `
  UPDATE merchants SET
    ingest_paused_at = rest.ingest, delivery_paused_at = rest.delivery,
    pause_reason = CASE WHEN coalesce(rest.ingest, rest.delivery) IS NOT NULL THEN pause_reason END,
    pause_contact = CASE WHEN coalesce(rest.ingest, rest.delivery) IS NOT NULL THEN pause_contact END
  FROM (
    SELECT CASE WHEN NOT 'ingest' = ANY ($2) THEN ingest_paused_at END AS ingest,
      CASE WHEN NOT 'delivery' = ANY ($2) THEN delivery_paused_at END AS delivery
    FROM merchants WHERE id = $1) rest
  WHERE id = $1
  RETURNING ${pauseColumns}`;

/** Gives the endpoints of both sides the pause of the merchant. $1 the ids of the sides, $2 of the live one */
const copySql = `
  UPDATE endpoints p SET operator_paused_at = m.delivery_paused_at
  FROM merchants m
  WHERE p.merchant_id = ANY ($1) AND m.id = $2 AND p.operator_paused_at IS DISTINCT FROM m.delivery_paused_at`;

/**
 * Pauses parts of a live merchant, on both of its sides, or gives a pause another reason and contact. What is paused already keeps its time.
 * Nothing that waits is changed. Undefined when there is no such live merchant.
 */
export function pauseMerchant(
  database: Database,
  merchantId: string,
  { parts, reason, contact }: { parts: readonly Pausable[]; reason: string; contact: string },
): Promise<MerchantPause | undefined> {
  const values = [merchantId, [...parts], reason, contact];
  return change(database, merchantId, pauseSql, values, { parts, reason, contact });
}

/** Ends the pause of parts of a live merchant. What waited is due at once. Undefined when there is no such live merchant. */
export function resumeMerchant(
  database: Database,
  merchantId: string,
  parts: readonly Pausable[],
): Promise<MerchantPause | undefined> {
  return change(database, merchantId, resumeSql, [merchantId, [...parts]], { parts });
}

/** Attempts that are being recorded lock endpoints in another order: after a deadlock the change is made again. */
function change(
  database: Database,
  merchantId: string,
  sql: string,
  values: unknown[],
  details: { parts: readonly Pausable[]; reason?: string; contact?: string },
): Promise<MerchantPause | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const sides = await tx.query<{ id: string }>(lockSql, [merchantId]);
      if (!sides.some(({ id }) => id === merchantId)) return undefined;
      const [pause] = await tx.query<MerchantPause & Record<string, unknown>>(sql, values);
      await tx.execute(copySql, [sides.map(({ id }) => id), merchantId]);
      await audit(tx, { subjectId: merchantId, details: { ...details } });
      return pause;
    }),
  );
}

/** What the operator has paused of a merchant, whichever side the id is of; undefined when nothing is paused. */
export async function findPause(database: Queryable, merchantId: string): Promise<MerchantPause | undefined> {
  const [pause] = await database.query<MerchantPause & Record<string, unknown>>(
    `SELECT ${pauseColumns} FROM merchants
     WHERE id = rules.live_merchant($1) AND (ingest_paused_at IS NOT NULL OR delivery_paused_at IS NOT NULL)`,
    [merchantId],
  );
  return pause;
}

/** The merchants of which something is paused, the longest first. */
export function listPausedMerchants(
  database: Queryable,
): Promise<({ merchantId: string } & MerchantPause)[]> {
  return database.query<{ merchantId: string } & MerchantPause & Record<string, unknown>>(
    `SELECT id AS "merchantId", ${pauseColumns} FROM merchants
     WHERE ingest_paused_at IS NOT NULL OR delivery_paused_at IS NOT NULL
     ORDER BY least(ingest_paused_at, delivery_paused_at)`,
  );
}
