import { describeApiKey, generateApiKey, hashApiKey, newId } from '@rewardhook/contract';
import type { NewApiKey } from './api-keys.ts';

/**
 * A new key, to be shown once, and the row that is kept of it. A public one is kept whole: it is no secret. `createdBy`
 * is the id of a user, or `operator`.
 */
export function newApiKey(
  merchantId: string,
  kind: 'secret' | 'public',
  name: string,
  createdBy: string,
): { key: string; row: NewApiKey } {
  const key = generateApiKey(kind);
  const publicValue = kind === 'public' ? key : null;
  const id = newId('key');
  return {
    key,
    row: {
      id,
      merchantId,
      kind,
      name,
      createdBy,
      sha256: hashApiKey(key),
      ...describeApiKey(key),
      publicValue,
    },
  };
}
