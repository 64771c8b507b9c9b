import { modeOf } from '@rewardhook/contract';
import { ensureTestSide } from '@rewardhook/database';
import type { TestSideCreation } from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import { UsageError } from './command.ts';
import type { AdminContext } from './command.ts';

/** The options of a command with `--test`: the merchant is the test side, which is created at its first use. */
export async function selectTestSide(
  options: Record<string, string>,
  { database, sealer }: Pick<AdminContext, 'database' | 'sealer'>,
  by: TestSideCreation['by'],
): Promise<Record<string, string>> {
  const { merchant } = options;
  if (merchant === undefined) throw new UsageError('--test needs --merchant.');
  if (modeOf(merchant) === 'test') return options;
  const creation = { sealer, newSigningSecret: generateSigningSecret, by };
  const id = await ensureTestSide(database, merchant, creation);
  if (id === undefined) throw new UsageError(`There is no merchant ${merchant}.`);
  return { ...options, merchant: id };
}
