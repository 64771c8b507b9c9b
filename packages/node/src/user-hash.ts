import { createHmac } from 'node:crypto';

/**
 * The `userHash` of the browser SDK's boot call: the HMAC-SHA256 of the user id, keyed with the identity secret, in
 * hexadecimal. Compute it only for the member who is signed in.
 * @throws TypeError when one of them is missing or empty, often a variable that is not set
 */
export function userHash(userId: string, identitySecret: string | undefined): string {
  if (typeof userId !== 'string' || userId === '') throw new TypeError('userId must not be empty');
  if (typeof identitySecret !== 'string' || identitySecret === '')
    throw new TypeError('identitySecret is missing: is its environment variable set?');
  return createHmac('sha256', identitySecret).update(userId, 'utf8').digest('hex');
}
