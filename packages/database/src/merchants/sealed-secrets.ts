import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { audit, noteAudit } from '../audit/audited.ts';
import { formerIdentitySecretContext, identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** The columns with sealed secrets, and the name that they are counted by. Their rows are identified by `id`. */
const sealedColumns = [
  {
    name: 'identitySecrets',
    table: 'merchants',
    column: 'identity_secret',
    merchantId: 'id',
    contextOf: ({ merchantId }: SealedRow) => identitySecretContext(merchantId),
  },
  {
    name: 'identitySecrets',
    table: 'former_identity_secrets',
    column: 'secret',
    merchantId: 'merchant_id',
    contextOf: ({ merchantId, id }: SealedRow) => formerIdentitySecretContext(merchantId, id),
  },
  {
    name: 'signingKeys',
    table: 'signing_keys',
    column: 'secret',
    merchantId: 'merchant_id',
    contextOf: ({ merchantId, id }: SealedRow) => signingKeyContext(merchantId, id),
  },
] as const;

type SealedColumn = (typeof sealedColumns)[number];

interface SealedRow {
  id: string;
  merchantId: string;
  sealed: string;
}

/** Secrets of one key that are tried: one of them alone may be damaged. */
const secretsTried = 5;

/**
 * The ids of the keys that stored secrets were sealed with and that the sealer cannot open, and whether it can open any.
 * It reads a few rows for each key, whatever the number of merchants.
 */
export async function findMissingKeys(
  database: Queryable,
  sealer: Sealer,
): Promise<{ missing: string[]; opensAny: boolean }> {
  const opens = new Map<string, boolean>();
  for (const source of sealedColumns) {
    const rows = await database.query<SealedRow & { keyId: string }>(sampleSql(source), [secretsTried]);
    for (const row of rows) {
      const opened = sealer.keyOf(row.sealed, source.contextOf(row)) !== undefined;
      opens.set(row.keyId, opened || opens.get(row.keyId) === true);
    }
  }
  return {
    missing: [...opens].filter(([, opened]) => !opened).map(([keyId]) => keyId),
    opensAny: [...opens.values()].includes(true),
  };
}

/** Some rows of each key; the index is read once for each key. $1 rows of one key */
function sampleSql({ table, column, merchantId }: SealedColumn): string {
  const keyId = `rules.sealed_by(${column})`;
  return `
    WITH RECURSIVE used (key_id) AS (
      (SELECT ${keyId} FROM ${table} WHERE ${keyId} IS NOT NULL ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT (SELECT ${keyId} FROM ${table} WHERE ${keyId} > used.key_id ORDER BY 1 LIMIT 1)
      FROM used WHERE used.key_id IS NOT NULL
    )
    SELECT used.key_id AS "keyId", t.id, t."merchantId", t.sealed
    FROM used CROSS JOIN LATERAL (
      SELECT id, ${merchantId} AS "merchantId", ${column} AS sealed FROM ${table}
      WHERE ${keyId} = used.key_id LIMIT $1
    ) t
    WHERE used.key_id IS NOT NULL`;
}

/** How many stored secrets each key of the ring opens; `none` counts those that no key opens. */
export interface SealedCounts {
  keys: { id: string; seals: boolean; identitySecrets: number; signingKeys: number }[];
  none: { identitySecrets: number; signingKeys: number };
  /** Secrets under another key than the one that seals: `secrets rotate` seals them again. */
  toReseal: number;
}

/** Rows that are read, and resealed in one transaction, at a time. */
const batchSize = 500;

/** Opens every stored secret and counts them by key. */
export async function countSealedSecrets(database: Sql, sealer: Sealer): Promise<SealedCounts> {
  const none = { identitySecrets: 0, signingKeys: 0 };
  const keys = sealer.keyIds.map((id, index) => ({ id, seals: index === 0, ...none }));
  let toReseal = 0;
  for (const source of sealedColumns)
    for await (const rows of batchesOf(database, source))
      for (const row of rows) {
        const context = source.contextOf(row);
        const keyId = sealer.keyOf(row.sealed, context);
        const counts = keys.find(({ id }) => id === keyId) ?? none;
        counts[source.name] += 1;
        if (keyId !== undefined && !sealer.isCurrent(row.sealed, context)) toReseal += 1;
      }
  return { keys, none, toReseal };
}

/** The result of a rotation. */
export interface Resealed {
  /** Secrets that were sealed again. */
  resealed: number;
  /** Secrets that were sealed by the first key already. */
  current: number;
  /** Secrets that were changed by others at the same time. Another run finds whether they need anything. */
  changedMeanwhile: number;
  /** Secrets that no key of the ring opens: they stay as they are. At most 20 of them are named. */
  unopened: { count: number; examples: { kind: string; merchantId: string; id: string }[] };
}

const maxExamples = 20;

/**
 * Seals every stored secret again that is not sealed by the first key of the ring, in batches of one short transaction
 * each. A secret that is changed meanwhile keeps the new value. It can be interrupted and run again at any time.
 */
export async function resealSecrets(database: Sql, sealer: Sealer): Promise<Resealed> {
  const result: Resealed = {
    resealed: 0,
    current: 0,
    changedMeanwhile: 0,
    unopened: { count: 0, examples: [] },
  };
  noteAudit({ details: { key: sealer.keyIds[0] } });
  for (const source of sealedColumns)
    for await (const rows of batchesOf(database, source)) {
      const changes: { id: string; before: string; after: string }[] = [];
      for (const row of rows) {
        const context = source.contextOf(row);
        if (sealer.isCurrent(row.sealed, context)) result.current += 1;
        else if (sealer.keyOf(row.sealed, context) === undefined) addUnopened(result.unopened, source, row);
        else {
          const after = sealer.seal(sealer.open(row.sealed, context), context);
          changes.push({ id: row.id, before: row.sealed, after });
        }
      }
      const resealed = await reseal(database, source, changes);
      result.resealed += resealed;
      result.changedMeanwhile += changes.length - resealed;
    }
  return result;
}

function addUnopened(unopened: Resealed['unopened'], { name: kind }: SealedColumn, row: SealedRow): void {
  unopened.count += 1;
  if (unopened.examples.length < maxExamples)
    unopened.examples.push({ kind, merchantId: row.merchantId, id: row.id });
}

/** Replaces secrets that are still the ones that were read. Returns how many were replaced. */
async function reseal(
  database: Sql,
  { table, column }: SealedColumn,
  changes: { id: string; before: string; after: string }[],
): Promise<number> {
  if (changes.length === 0) return 0;
  return transact(database, async (tx) => {
    const replaced = await tx.execute(
      `UPDATE ${table} t SET ${column} = c.after
       FROM unnest($1::text[], $2::text[], $3::text[]) AS c (id, before, after)
       WHERE t.id = c.id AND t.${column} = c.before`,
      [changes.map(({ id }) => id), changes.map(({ before }) => before), changes.map(({ after }) => after)],
    );
    if (replaced > 0) await audit(tx);
    return replaced;
  });
}

/** All rows with a secret, in batches by their id. */
async function* batchesOf(
  database: Queryable,
  { table, column, merchantId }: SealedColumn,
): AsyncGenerator<SealedRow[]> {
  for (let after = '', more = true; more;) {
    const rows = await database.query<SealedRow>(
      `SELECT id, ${merchantId} AS "merchantId", ${column} AS sealed FROM ${table}
       WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, batchSize],
    );
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.id ?? after;
    more = rows.length === batchSize;
  }
}
