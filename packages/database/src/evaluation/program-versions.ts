import { readTerms } from '@rewardhook/rewards';
import type { Program } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { numberArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';

type Row = Omit<Program, 'terms'> & { terms: unknown };

const findProgramSql = statement<Row, [merchantId: string]>({
  name: 'find the program in force',
  parameters: ['text'],
  columns: { id: 'text', version: 'integer', terms: 'jsonb' },
  text: `
    SELECT program_id AS id, version, terms FROM program_versions WHERE merchant_id = $1
    ORDER BY version DESC LIMIT 1`,
});

/** Finds the version of a merchant's program that is in force; undefined when the merchant has none. */
export async function findProgram(database: Queryable, merchantId: string): Promise<Program | undefined> {
  const [program] = await run(database, findProgramSql, [merchantId]);
  return program && programOf(program);
}

const listProgramVersionsSql = statement<Row, [merchantId: string, versions: string]>({
  name: 'list versions of a program',
  parameters: ['text', 'integer[]'],
  columns: { id: 'text', version: 'integer', terms: 'jsonb' },
  text: `
    SELECT program_id AS id, version, terms FROM unnest($2::int[]) AS wanted (wanted_version)
    JOIN program_versions ON merchant_id = $1 AND version = wanted_version`,
});

/** Lists some versions of a merchant's program. */
export async function listProgramVersions(
  database: Queryable,
  merchantId: string,
  versions: number[],
): Promise<Program[]> {
  return (await run(database, listProgramVersionsSql, [merchantId, numberArray(versions)])).map(programOf);
}

function programOf({ id, version, terms }: Row): Program {
  return { id, version, terms: readTerms(terms) };
}
