import { modeOf } from '@rewardhook/contract';
import type { Terms } from '@rewardhook/rewards';
import { insertAuditEntry } from '../audit/audit-entries.ts';
import type { AuditEntry } from '../audit/audit-entries.ts';
import type { Database, Transaction } from '../client/client.ts';
import { findNewestProgram } from '../rewards/programs.ts';
import { lockMerchant } from './merchants.ts';
import { insertMerchantIn, newMerchant } from './new-merchant.ts';
import type { Sealer } from './sealer.ts';

/** What the test side of a merchant is created with, and who creates it. */
export interface TestSideCreation {
  sealer: Sealer;
  newSigningSecret(): string;
  /** Whose first use it is, as the audit names them. */
  by: Pick<AuditEntry, 'actor' | 'address' | 'requestId'>;
}

/** Finds the test side of a live merchant; undefined when it was never used. */
export async function findTestSide(prisma: Transaction, liveMerchantId: string): Promise<string | undefined> {
  const side = await prisma.merchant.findUnique({ where: { liveMerchantId }, select: { id: true } });
  return side?.id;
}

/**
 * Finds the test side of a live merchant, or creates it at its first use: with a signing key, an identity secret, a public
 * key, and copies of the newest rule, the time zone and the settings for linking. Its secret keys are created later,
 * because each is shown once. Returns undefined when there is no such live merchant.
 */
export async function ensureTestSide(
  database: Database,
  liveMerchantId: string,
  creation: TestSideCreation,
): Promise<string | undefined> {
  const found = await findTestSide(database, liveMerchantId);
  if (found !== undefined || modeOf(liveMerchantId) === 'test') return found;
  return database.$transaction(async (tx) => {
    // Of two concurrent first uses the second waits here, and then finds what the first has created.
    await lockMerchant(tx, liveMerchantId);
    return (await findTestSide(tx, liveMerchantId)) ?? insertTestSide(tx, liveMerchantId, creation);
  });
}

async function insertTestSide(
  tx: Transaction,
  liveMerchantId: string,
  { sealer, newSigningSecret, by }: TestSideCreation,
): Promise<string | undefined> {
  const live = await tx.merchant.findUnique({
    where: { id: liveMerchantId },
    select: {
      name: true,
      timezone: true,
      requireUserHash: true,
      attributionDays: true,
      manualRewardLimit: true,
    },
  });
  if (!live) return undefined;
  const { requireUserHash, attributionDays, manualRewardLimit } = live;
  const { terms } = await findNewestProgram(tx, liveMerchantId);
  const { row } = newMerchant(
    {
      name: live.name,
      timezone: live.timezone,
      signingSecret: newSigningSecret(),
      createdBy: 'operator',
      terms,
      liveMerchantId,
    },
    sealer,
  );
  await insertMerchantIn(tx, { ...row, keys: row.keys.filter(({ kind }) => kind === 'public') });
  await tx.merchant.updateMany({
    where: { id: row.id },
    data: { requireUserHash, attributionDays, manualRewardLimit },
  });
  await insertAuditEntry(tx, {
    ...by,
    action: 'merchant.created',
    outcome: 'done',
    merchantId: row.id,
    subjectId: row.id,
    details: { mode: 'test' },
  });
  return row.id;
}

/** The terms in force of the live merchant of a test side, with its version. @throws when the merchant is no test side */
export async function findLiveTerms(
  database: Database,
  testMerchantId: string,
): Promise<{ terms: Terms; version: number }> {
  const side = await database.merchant.findUnique({
    where: { id: testMerchantId, mode: 'test' },
    select: { liveMerchantId: true },
  });
  if (!side?.liveMerchantId) throw new Error(`merchant ${testMerchantId} is no test side`);
  const { terms, version } = await findNewestProgram(database, side.liveMerchantId);
  return { terms, version };
}
