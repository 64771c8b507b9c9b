import { randomBytes } from 'node:crypto';

/** What every signing secret starts with (Standard Webhooks, "Symmetric signatures"). */
export const signingSecretPrefix = 'whsec_';

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString('base64');
}
