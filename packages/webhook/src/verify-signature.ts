import { timingSafeEqual } from 'node:crypto';
import { signBody } from './sign-body.ts';

/**
 * True when `header` is the `X-Service-Signature` of exactly these body bytes under `secret`.
 * Compares in constant time; anything malformed or missing is false, it never throws.
 */
export function verifySignature(secret: string, body: Uint8Array, header: string | undefined): boolean {
  try {
    if (typeof header !== 'string') return false;
    const expected = Buffer.from(signBody(secret, body));
    const given = Buffer.from(header);
    // The length of a signature is public, so telling it apart early leaks nothing.
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}
