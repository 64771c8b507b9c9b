import type { Program, ProgramRule } from '@rewardhook/rewards';
import type { Database } from './client.ts';

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
  return versions.map(({ programId, version, rule, publishedAt }) => ({
    id: programId,
    version,
    rule: rule as unknown as ProgramRule,
    publishedAt,
  }));
}

/** Publishes a rule as the next version. Rewards already given keep the version they were given under. */
export function publishProgram(database: Database, merchantId: string, rule: ProgramRule): Promise<Program> {
  return database.$transaction(async (tx) => {
    // In a statement of its own: the next one then sees what another publication has just added.
    await tx.$executeRaw`SELECT 1 FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
    const [program] = await tx.$queryRaw<Program[]>`
      INSERT INTO program_versions (merchant_id, version, program_id, rule)
      SELECT merchant_id, (SELECT max(version) + 1 FROM program_versions WHERE merchant_id = ${merchantId}), id,
        ${JSON.stringify(rule)}::jsonb
      FROM programs WHERE merchant_id = ${merchantId}
      RETURNING program_id AS id, version, rule`;
    if (!program) throw new Error(`merchant ${merchantId} has no program`);
    return program;
  });
}
