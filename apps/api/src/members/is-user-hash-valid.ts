import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a `user_hash` (64 hexadecimal characters of either case) is the HMAC-SHA256 of the user id in UTF-8 with the
 * merchant's identity secret as the key. Compares in constant time.
 */
export function isUserHashValid(identitySecret: string, userId: string, hash: string): boolean {
  const expected = createHmac('sha256', identitySecret).update(userId, 'utf8').digest();
  const given = Buffer.from(hash, 'hex');
  return given.length === expected.length && timingSafeEqual(expected, given);
}
