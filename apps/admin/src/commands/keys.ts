import { insertApiKey, listApiKeys, newApiKey, revokeApiKey } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../option-values.ts';

export const keyCreate = command({
  description: 'Create an API key. It is shown only once.',
  audit: 'api_key.created',
  required: { merchant: 'merchant id', kind: 'secret or public' },
  optional: { name: 'purpose of the key' },
  async run({ merchant, kind, name = `${kind} key` }, { database }) {
    if (kind !== 'secret' && kind !== 'public') throw new UsageError('--kind must be secret or public.');
    await requireMerchant(database, merchant);
    const { key, row } = newApiKey(merchant, kind, name, 'operator');
    await insertApiKey(database, row);
    return { document: { keyId: row.id, kind, name, key } };
  },
});

export const keyRevoke = command({
  description: 'Revoke an API key. It stops working within seconds.',
  audit: 'api_key.revoked',
  required: { merchant: 'merchant id', key: 'key id (see key list)' },
  async preview({ merchant, key }, { database }) {
    const active = (await listApiKeys(database, merchant)).filter(({ revokedAt }) => revokedAt === null);
    const found = active.find(({ id }) => id === key);
    if (!found) throw new UsageError(`Merchant ${merchant} has no active key ${key}.`);
    const { kind, name, prefix, lastFour, lastUsedAt } = found;
    const used = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
    return {
      what: `Revokes the ${kind} key ${key} of ${merchant}: ${name}, ${prefix}…${lastFour}, ${used}.`,
      counts: { keysLeft: active.filter((one) => one.kind === kind).length - 1 },
    };
  },
  async run({ merchant, key }, { database }) {
    if (!(await revokeApiKey(database, merchant, key)))
      throw new UsageError(`Merchant ${merchant} has no active key ${key}.`);
    return { document: { keyId: key, revoked: true } };
  },
});

export const keyList = command({
  description: "List a merchant's API keys, newest first, with their creators.",
  audit: null,
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: { keys: await listApiKeys(database, merchant) } };
  },
});
