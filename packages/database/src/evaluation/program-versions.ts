import type { Program } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { numberArray } from '../client/sql-arrays.ts';

/** Finds the version of a merchant's program that is in force; undefined when the merchant has none. */
export async function findProgram(database: Queryable, merchantId: string): Promise<Program | undefined> {
  const [program] = await database.query<Program>(
    `SELECT program_id AS id, version, rule FROM program_versions WHERE merchant_id = $1
     ORDER BY version DESC LIMIT 1`,
    [merchantId],
  );
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
