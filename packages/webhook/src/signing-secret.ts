import { randomBytes } from 'node:crypto';

/** What every signing secret starts with (Standard Webhooks, "Symmetric signatures"). */
export const signingSecretPrefix = 'whsec_';

/** The fewest bytes of a key (Standard Webhooks, "Symmetric signatures"). Ours have 32. */
const minKeyBytes = 24;

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString('base64');
}

/**
 * The key in a signing secret: what follows `whsec_`, base64-decoded.
 * @throws TypeError when it is not `whsec_` and the base64 of at least 24 bytes: `whsec_` alone is an empty key, with
 * which anybody can sign. The message does not quote the secret.
 */
export function signingKeyOf(secret: string): Buffer {
  const key = decode(secret);
  if (!key) {
    throw new TypeError(
      'a signing secret must be whsec_ and base64 of at least 24 bytes, exactly as the console shows it',
    );
  }
  return key;
}

/** Whether {@link signingKeyOf} finds a key in it. */
export function isSigningSecret(secret: unknown): secret is string {
  return decode(secret) !== undefined;
}

function decode(secret: unknown): Buffer | undefined {
  if (typeof secret !== 'string' || !secret.startsWith(signingSecretPrefix)) return undefined;
  const encoded = secret.slice(signingSecretPrefix.length);
  const key = Buffer.from(encoded, 'base64');
  // Decoding skips what is not base64, so a mistyped or cut secret would be another key, or an empty one.
  return key.length >= minKeyBytes && key.toString('base64') === encoded ? key : undefined;
}
