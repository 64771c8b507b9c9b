import { createHmac } from 'node:crypto';
import { networkOf } from './client-address.ts';
import { deriveKeys } from './key-ring.ts';

/**
 * The Redis keys of the login limits. They hold hashes, never addresses or e-mails. The console counts logins under
 * these keys, and the operator's command line deletes them to lift a limit.
 */
export interface LoginLimitKeys {
  /** The prefix of the keys of one limit. A colon and one of the parts below follow. */
  prefixOf(limit: string): string;
  address(address: string): string;
  email(email: string): string;
  /** One e-mail from one address. Begins with the part of the e-mail. */
  pair(address: string, email: string): string;
  /** Mails to one e-mail address at the request of one merchant. */
  mail(merchantId: string, email: string): string;
}

/** Opens the keys. E-mails must be in the form in which they are stored. */
export function openLoginLimitKeys(queuePrefix: string, secretsKey: string): LoginLimitKeys {
  const [key] = deriveKeys(secretsKey, purpose);
  return openWith(queuePrefix, key);
}

/** The same for every key of SECRETS_KEY: while keys are rotated, processes count under different ones. */
export function openAllLoginLimitKeys(queuePrefix: string, secretsKey: string): LoginLimitKeys[] {
  return deriveKeys(secretsKey, purpose).map((key) => openWith(queuePrefix, key));
}

const purpose = 'addresses and e-mails of login limits';

function openWith(queuePrefix: string, key: Buffer): LoginLimitKeys {
  const hashed = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  const address = (text: string) => hashed(networkOf(text));
  return {
    prefixOf: (limit) => `${queuePrefix}:login:${limit}`,
    address,
    email: hashed,
    pair: (from, email) => `${hashed(email)}:${address(from)}`,
    mail: (merchantId, email) => `${hashed(email)}:${hashed(merchantId)}`,
  };
}
