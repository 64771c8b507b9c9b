import { describeApiKey, generateApiKey, hashApiKey, newId } from '@rewardhook/contract';
import type { NewApiKey } from '@rewardhook/database';

/** A new key, to be shown once, and the row that is kept of it. */
export function newApiKey(
  merchantId: string,
  kind: 'secret' | 'public',
  name: string,
): { key: string; row: NewApiKey } {
  const key = generateApiKey(kind);
  return {
    key,
    row: { id: newId('key'), merchantId, kind, name, sha256: hashApiKey(key), ...describeApiKey(key) },
  };
}
