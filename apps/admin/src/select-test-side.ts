import { modeOf } from '@rewardhook/contract';
import { ensureTestSide, findTestSide } from '@rewardhook/database';
import type { TestSideCreation } from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import { UsageError } from './command.ts';
import type { AdminContext } from './command.ts';

/** The options of a command with `--test`: the merchant is the test side, which `create` creates at its first use. */
export async function selectTestSide(
  options: Record<string, string>,
  { database, sealer }: Pick<AdminContext, 'database' | 'sealer'>,
  { by, create }: { by: TestSideCreation['by']; create: boolean },
): Promise<Record<string, string>> {
  const { merchant } = options;
  if (merchant === undefined) throw new UsageError('--test needs --merchant.');
  if (modeOf(merchant) === 'test') return options;
  const creation = { sealer, newSigningSecret: generateSigningSecret, by };
  const id = create
    ? await ensureTestSide(database, merchant, creation)
    : await findTestSide(database, merchant);
  if (id === undefined)
    throw new UsageError(`There is no merchant ${merchant}${create ? '' : ', or it has no test side'}.`);
  return { ...options, merchant: id };
}
