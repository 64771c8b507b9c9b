import { audit } from '../audit/audited.ts';
import type { Database } from '../client/client.ts';
import { isoOf, readTime } from '../client/database-clock.ts';

/** When the deletion of a test side's data was requested, if it is running, and when one last ended. ISO 8601 in UTC. */
export interface WipeState {
  requestedAt: string | null;
  wipedAt: string | null;
}

/** Finds whether the data of a test side is being deleted. */
export async function findWipe(database: Database, merchantId: string): Promise<WipeState> {
  const found = await database.merchant.findUnique({
    where: { id: merchantId },
    select: { wipeRequestedAt: true, wipedAt: true },
  });
  return {
    requestedAt: found?.wipeRequestedAt ? isoOf(found.wipeRequestedAt) : null,
    wipedAt: found?.wipedAt ? isoOf(found.wipedAt) : null,
  };
}

/**
 * Requests the deletion of a test side's data, which housekeeping does. Returns false when the merchant
 * is no test side.
 */
export function requestWipe(database: Database, merchantId: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const isTestSide = { id: merchantId, mode: 'test' };
    if ((await tx.merchant.count({ where: isTestSide })) === 0) return false;
    await tx.merchant.updateMany({
      where: { ...isTestSide, wipeRequestedAt: null },
      data: { wipeRequestedAt: await readTime(tx) },
    });
    await audit(tx, { subjectId: merchantId });
    return true;
  });
}
