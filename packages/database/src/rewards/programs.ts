import { ruleDifferences } from '@rewardhook/rewards';
import type { Program, ProgramRule } from '@rewardhook/rewards';
import { noteAudit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { EditConflict } from '../client/edit-conflict.ts';

/** A published version of a merchant's program. */
export interface PublishedProgram extends Program {
  publishedAt: Date;
}

const columns = 'program_id AS id, version, rule, published_at AS "publishedAt"';

/** Lists all versions of a merchant's program, newest first. */
export function listPrograms(database: Queryable, merchantId: string): Promise<PublishedProgram[]> {
  return database.query<PublishedProgram>(
    `SELECT ${columns} FROM program_versions WHERE merchant_id = $1 ORDER BY version DESC`,
    [merchantId],
  );
}

/**
 * Lists all versions of a merchant's program, oldest first: the last one is in force.
 * @throws when the merchant has none
 */
export async function listProgramVersions(
  database: Queryable,
  merchantId: string,
): Promise<[...Program[], Program]> {
  const versions = await database.query<Program>(
    'SELECT program_id AS id, version, rule FROM program_versions WHERE merchant_id = $1 ORDER BY version',
    [merchantId],
  );
  const current = versions.pop();
  if (!current) throw new Error(`merchant ${merchantId} has no program`);
  return [...versions, current];
}

/** Inserts the program of a new merchant with its first version. */
export async function insertFirstProgram(
  tx: Queryable,
  merchantId: string,
  { id, rule }: { id: string; rule: ProgramRule },
): Promise<void> {
  await tx.execute('INSERT INTO programs (merchant_id, id) VALUES ($1, $2)', [merchantId, id]);
  await insertVersion(tx, merchantId, { id, version: 1, rule });
}

/**
 * Publishes a rule as the next version. Rewards that exist keep the version that they were given under. `baseVersion`
 * is the version that the rule was derived from: it must still be the newest.
 * @throws EditConflict<PublishedProgram> with the newest version
 */
export function publishProgram(
  database: Database,
  merchantId: string,
  rule: ProgramRule,
  baseVersion?: number,
): Promise<PublishedProgram> {
  return transact(database, async (tx) => {
    // A statement of its own: the next one reads what a concurrent publication has committed.
    await tx.execute('SELECT 1 FROM programs WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
    const [newest] = await listPrograms(tx, merchantId);
    if (!newest) throw new Error(`merchant ${merchantId} has no program`);
    if (baseVersion !== undefined && baseVersion !== newest.version) throw new EditConflict(newest);
    const version = newest.version + 1;
    noteAudit({
      subjectId: newest.id,
      details: { version, changed: ruleDifferences(newest.rule, rule) },
    });
    return insertVersion(tx, merchantId, { id: newest.id, version, rule });
  });
}

async function insertVersion(
  tx: Queryable,
  merchantId: string,
  { id, version, rule }: Program,
): Promise<PublishedProgram> {
  const [published] = await tx.query<PublishedProgram>(
    `INSERT INTO program_versions (merchant_id, version, program_id, rule) VALUES ($1, $2, $3, $4::jsonb)
     RETURNING ${columns}`,
    [merchantId, version, id, JSON.stringify(rule)],
  );
  return published as PublishedProgram;
}
