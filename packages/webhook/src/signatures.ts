import { createHmac, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { signingKeyOf } from '@rewardhook/verify';

/** The prefix of every signing secret (Standard Webhooks, "Symmetric signatures"). */
const signingSecretPrefix = 'whsec_';

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString('base64');
}

/**
 * The contract's `X-Service-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of the raw body bytes.
 * A secret that signs often is given as a key object of those bytes, which is faster.
 *
 * The HMAC key is the UTF-8 bytes of the complete secret exactly as the console shows it (`whsec_` included), so a receiver
 * needs no decoding step. The Standard Webhooks header uses the decoded part instead, see {@link standardSignature}.
 */
export function signBody(secret: string | KeyObject, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** What a Standard Webhooks signature covers, and the secrets that sign (two during a rotation). */
export type StandardSignatureInput = {
  id: string;
  timestampSeconds: number;
  body: Uint8Array;
  secrets: readonly string[];
};

/**
 * The `webhook-signature` header of the Standard Webhooks specification: one `v1,<base64>` for each secret, in the order
 * given, separated by a space. The signed content is `<id>.<timestamp>.<body>`; the key is the base64 part of the secret,
 * decoded.
 *
 * @throws TypeError for a secret without a usable key, see `signingKeyOf`.
 */
export function standardSignature({ secrets, ...signed }: StandardSignatureInput): string {
  return standardSignatureByKeys({ ...signed, keys: secrets.map(signingKeyOf) });
}

/** As {@link standardSignature}, with the keys of the secrets. */
export function standardSignatureByKeys({
  id,
  timestampSeconds,
  body,
  keys,
}: Omit<StandardSignatureInput, 'secrets'> & { keys: readonly (Uint8Array | KeyObject)[] }): string {
  const prefix = `${id}.${timestampSeconds}.`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`)
    .join(' ');
}
