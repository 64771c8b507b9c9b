import { createHmac } from 'node:crypto';
import { networkOf } from './client-address.ts';

/**
 * What the limits of logins are counted by in Redis. Neither addresses nor e-mails can be read there. The console
 * counts, and the operator's command line removes what is counted.
 */
export interface LoginLimitKeys {
  /** The prefix of one limit's keys; a colon and one of the following come after it. */
  prefixOf(limit: string): string;
  address(address: string): string;
  email(email: string): string;
  /** Of one e-mail from one address; begins with what `email` gives. */
  pair(address: string, email: string): string;
}

/** Opens the keys. E-mails are given in the form in which they are stored. */
export function openLoginLimitKeys(queuePrefix: string, secretsKey: string): LoginLimitKeys {
  const key = createHmac('sha256', secretsKey).update('addresses and e-mails of login limits').digest();
  const hidden = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  const address = (text: string) => hidden(networkOf(text));
  return {
    prefixOf: (limit) => `${queuePrefix}:login:${limit}`,
    address,
    email: hidden,
    pair: (from, email) => `${hidden(email)}:${address(from)}`,
  };
}
