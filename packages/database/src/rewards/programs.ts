import { budgetOf, readTerms, termsDifferences } from '@rewardhook/rewards';
import type { Program, Terms } from '@rewardhook/rewards';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { EditConflict } from '../client/edit-conflict.ts';

/** A published version of a merchant's program. */
export interface PublishedProgram extends Program {
  publishedAt: Date;
}

interface StoredVersion {
  programId: string;
  version: number;
  terms: unknown;
  publishedAt: Date;
}

const programOf = ({ programId: id, version, terms, publishedAt }: StoredVersion): PublishedProgram => ({
  id,
  version,
  terms: readTerms(terms),
  publishedAt,
});

/** Lists all versions of a merchant's program, newest first. */
export async function listPrograms(database: Database, merchantId: string): Promise<PublishedProgram[]> {
  const versions = await database.programVersion.findMany({
    where: { merchantId },
    orderBy: { version: 'desc' },
  });
  return versions.map(programOf);
}

/**
 * Finds the version of a merchant's program that is in force: the newest.
 * @throws when the merchant has none
 */
export async function findNewestProgram(prisma: Transaction, merchantId: string): Promise<PublishedProgram> {
  const newest = await prisma.programVersion.findFirst({
    where: { merchantId },
    orderBy: { version: 'desc' },
  });
  if (!newest) throw new Error(`merchant ${merchantId} has no program`);
  return programOf(newest);
}

/** Inserts the program of a new merchant with its first version. */
export async function insertFirstProgram(
  tx: Transaction,
  merchantId: string,
  { id, terms }: { id: string; terms: Terms },
): Promise<void> {
  await tx.program.create({ data: { merchantId, id } });
  await insertVersion(tx, merchantId, { id, version: 1, terms });
}

/**
 * Publishes terms as the next version. Rewards that exist keep the version that they were given under. `baseVersion`
 * is the version that the terms were derived from: it must still be the newest.
 * @throws EditConflict<PublishedProgram> with the newest version
 */
export function publishProgram(
  database: Database,
  merchantId: string,
  terms: Terms,
  baseVersion?: number,
): Promise<PublishedProgram> {
  return database.$transaction(async (tx) => {
    // A statement of its own: the next one reads what a concurrent publication has committed.
    await tx.$executeRaw`SELECT 1 FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
    const newest = await findNewestProgram(tx, merchantId);
    if (baseVersion !== undefined && baseVersion !== newest.version) throw new EditConflict(newest);
    const version = newest.version + 1;
    const published = await insertVersion(tx, merchantId, { id: newest.id, version, terms });
    await audit(tx, {
      subjectId: newest.id,
      details: { version, changed: termsDifferences(newest.terms, terms) },
    });
    return published;
  });
}

async function insertVersion(
  tx: Transaction,
  merchantId: string,
  { id: programId, version, terms }: Program,
): Promise<PublishedProgram> {
  const data = { merchantId, version, programId, terms: terms as object };
  const published = programOf(await tx.programVersion.create({ data }));
  await tx.program.update({ where: { merchantId }, data: { budget: budgetOf(terms) } });
  return published;
}
