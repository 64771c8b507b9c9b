import { timingSafeEqual } from 'node:crypto';
import { signBody } from '../sign-body.ts';
import { isSigningSecret } from '../signing-secret.ts';

/**
 * True when `header` is the `X-Service-Signature` of exactly these body bytes under `secret`.
 * Compares in constant time; anything malformed or missing is false, a secret without a usable key too; it never
 * throws.
 */
export function verifySignature(secret: string, body: Uint8Array, header: string | undefined): boolean {
  try {
    return (
      typeof header === 'string' &&
      isSigningSecret(secret) &&
      equalInConstantTime(header, signBody(secret, body))
    );
  } catch {
    return false;
  }
}

/** Compares two texts without telling by its time where they differ. */
export function equalInConstantTime(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  // The length of a signature is public, so telling it apart early leaks nothing.
  return left.length === right.length && timingSafeEqual(left, right);
}
