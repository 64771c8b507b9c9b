import { createHmac } from 'node:crypto';

/**
 * The `userHash` of the browser SDK's boot call: the HMAC-SHA256 of the user id, keyed with the identity secret, in
 * hexadecimal. Compute it only for the member who is signed in.
 * @throws TypeError when one of them is empty, often a variable that is not set
 */
export function userHash(userId: string, identitySecret: string): string {
  if (typeof userId !== 'string' || userId === '') throw new TypeError('userId must not be empty');
  if (typeof identitySecret !== 'string' || identitySecret === '')
    throw new TypeError('identitySecret must not be empty');
  return createHmac('sha256', identitySecret).update(userId, 'utf8').digest('hex');
}
