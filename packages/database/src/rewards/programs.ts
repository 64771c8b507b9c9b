import { ruleDifferences } from '@rewardhook/rewards';
import type { Program, ProgramRule } from '@rewardhook/rewards';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { numberArray } from '../client/sql-arrays.ts';
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
 * Finds the version of a merchant's program that is in force.
 * @throws when the merchant has none
 */
export async function findProgram(database: Queryable, merchantId: string): Promise<Program> {
  const [program] = await database.query<Program>(
    `SELECT program_id AS id, version, rule FROM program_versions WHERE merchant_id = $1
     ORDER BY version DESC LIMIT 1`,
    [merchantId],
  );
  if (!program) throw new Error(`merchant ${merchantId} has no program`);
  return program;
}

/** Lists some versions of a merchant's program. */
export function listProgramVersions(
  database: Queryable,
  merchantId: string,
  versions: number[],
): Promise<Program[]> {
  return database.query<Program>(
    `SELECT program_id AS id, version, rule FROM unnest($2::int[]) AS wanted (wanted_version)
     JOIN program_versions ON merchant_id = $1 AND version = wanted_version`,
    [merchantId, numberArray(versions)],
  );
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
    await audit(tx, {
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
