import type { Program, ProgramRule } from '@rewardhook/rewards';
import { EditConflict } from '../client/edit-conflict.ts';
import type { Database } from '../client/client.ts';

/** A published version, with the time of its publication. */
export interface PublishedProgram extends Program {
  publishedAt: Date;
}

/** All versions of a merchant's program, newest first. */
export async function listPrograms(database: Database, merchantId: string): Promise<PublishedProgram[]> {
  const versions = await database.programVersion.findMany({
    where: { merchantId },
    orderBy: { version: 'desc' },
  });
  return versions.map(toProgram);
}

/**
 * Publishes a rule as the next version. Rewards already given keep the version they were given under. `baseVersion` is
 * the version that the rule was made from: it must still be the newest.
 * @throws EditConflict<PublishedProgram> with the newest version
 */
export function publishProgram(
  database: Database,
  merchantId: string,
  rule: ProgramRule,
  baseVersion?: number,
): Promise<PublishedProgram> {
  return database.$transaction(async (tx) => {
    // In a statement of its own: what follows then sees what another publication has just added.
    await tx.$executeRaw`SELECT 1 FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
    const newest = await tx.programVersion.findFirst({
      where: { merchantId },
      orderBy: { version: 'desc' },
    });
    if (!newest) throw new Error(`merchant ${merchantId} has no program`);
    if (baseVersion !== undefined && baseVersion !== newest.version)
      throw new EditConflict(toProgram(newest));
    const { programId, version } = newest;
    const next = { merchantId, version: version + 1, programId, rule: rule as object };
    return toProgram(await tx.programVersion.create({ data: next }));
  });
}

function toProgram(row: {
  programId: string;
  version: number;
  rule: unknown;
  publishedAt: Date;
}): PublishedProgram {
  const { programId, version, rule, publishedAt } = row;
  return { id: programId, version, rule: rule as ProgramRule, publishedAt };
}
