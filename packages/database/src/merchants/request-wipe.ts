import { newId, newMerchantId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { isoOf } from '../client/database-clock.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { lockMerchant } from './merchants.ts';
import { identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** When the deletion of a test side's data was requested, if it is running, and when one last ended. ISO 8601 in UTC. */
export interface WipeState {
  requestedAt: string | null;
  wipedAt: string | null;
}

/** Finds whether data that a test side had is being deleted. A live merchant has none. */
export async function findWipe(database: Database, merchantId: string): Promise<WipeState> {
  const of = { liveMerchant: { testSide: { id: merchantId } } };
  const [pending, done] = await Promise.all([
    database.wipe.aggregate({ where: { ...of, finishedAt: null }, _min: { requestedAt: true } }),
    database.wipe.aggregate({ where: of, _max: { finishedAt: true } }),
  ]);
  const { requestedAt } = pending._min;
  const { finishedAt } = done._max;
  return { requestedAt: requestedAt && isoOf(requestedAt), wipedAt: finishedAt && isoOf(finishedAt) };
}

/**
 * Gives a test side a new id, with nothing but its settings, keys, webhooks and program: the rows of its former id belong to
 * nobody from then on, and housekeeping deletes them. Ids of referrals, rewards, events and deliveries are new, too, even
 * those of the same orders, so that no receiver takes them for those from before. Returns the new id; undefined when there
 * is no such test side.
 * @throws SealError
 */
export function requestWipe(
  database: Database,
  sealer: Sealer,
  merchantId: string,
): Promise<string | undefined> {
  const move = async (tx: Transaction): Promise<string | undefined> => {
    await lockMerchant(tx, merchantId);
    const side = await tx.merchant.findUnique({
      where: { id: merchantId, mode: 'test' },
      select: { liveMerchantId: true, identitySecret: true },
    });
    if (!side?.liveMerchantId) return undefined;
    const id = newMerchantId('test');
    const identitySecret = sealer.seal(
      sealer.open(side.identitySecret, identitySecretContext(merchantId)),
      identitySecretContext(id),
    );
    // The foreign keys cascade: keys, webhooks, program and verified origins get the new id by this.
    await tx.merchant.update({
      where: { id: merchantId },
      data: { id, identitySecret, idSalt: crypto.randomUUID() },
      select: { id: true },
    });
    await resealSigningKeys(tx, sealer, { from: merchantId, to: id });
    await renewProgram(tx, id);
    const { liveMerchantId } = side;
    await tx.wipe.create({ data: { merchantId, liveMerchantId }, select: { merchantId: true } });
    await audit(tx, { subjectId: merchantId });
    return id;
  };
  return retryConflicts(() => database.$transaction(move));
}

/** Secrets are sealed for their merchant. */
async function resealSigningKeys(
  tx: Transaction,
  sealer: Sealer,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { id, secret } of await tx.signingKey.findMany({ where: { merchantId: to } }))
    await tx.signingKey.updateMany({
      where: { id },
      data: {
        secret: sealer.seal(sealer.open(secret, signingKeyContext(from, id)), signingKeyContext(to, id)),
      },
    });
}

/** The ids of rewards follow from that of the program. */
async function renewProgram(tx: Transaction, merchantId: string): Promise<void> {
  const programId = newId('prg');
  await tx.program.updateMany({ where: { merchantId }, data: { id: programId, spent: 0 } });
  await tx.programVersion.updateMany({ where: { merchantId }, data: { programId } });
}
