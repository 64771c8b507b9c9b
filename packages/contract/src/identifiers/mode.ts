import { newId } from './random-text.ts';

/** The sides of a merchant: `live` for real orders, `test` for trying. Each is a merchant with an id of its own. */
const modes = ['live', 'test'] as const;

/** One of {@link modes}. */
export type Mode = (typeof modes)[number];

/** What the id of a test side begins with. */
export const testIdPrefix = 'mer_test_';

/** A new merchant id. That of a test side is `mer_test_…`, so that the id alone shows the mode, also in logs and jobs. */
export function newMerchantId(mode: Mode): string {
  return newId(mode === 'test' ? 'mer_test' : 'mer');
}

/** The mode of the merchant with this id. The check `merchants_mode` in the schema keeps the two equal. */
export function modeOf(merchantId: string): Mode {
  return merchantId.startsWith(testIdPrefix) ? 'test' : 'live';
}

/** The field `mode` of the body of a merchant's events: only those of a test side have it. */
export function eventMode(merchantId: string): { mode?: 'test' } {
  return modeOf(merchantId) === 'test' ? { mode: 'test' } : {};
}
