import { findMerchant } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { UsageError } from './command.ts';

/** The merchant of this id. @throws UsageError when there is none */
export async function requireMerchant(database: Database, merchantId: string) {
  const merchant = await findMerchant(database, merchantId);
  if (!merchant) throw new UsageError(`There is no merchant ${merchantId}.`);
  return merchant;
}
