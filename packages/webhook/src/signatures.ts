import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** The prefix of every signing secret (Standard Webhooks, "Symmetric signatures"). */
export const signingSecretPrefix = 'whsec_';

/** The minimum length of a key (Standard Webhooks, "Symmetric signatures"). Ours have 32 bytes. */
const minKeyBytes = 24;

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString('base64');
}

/**
 * The key of a signing secret: the part after `whsec_`, base64-decoded.
 * @throws TypeError when it is not `whsec_` and the base64 of at least 24 bytes. `whsec_` alone would be an empty
 * key, which anyone can sign with. The message does not contain the secret.
 */
export function signingKeyOf(secret: string): Buffer {
  const key = decodeKey(secret);
  if (!key) {
    throw new TypeError(
      'a signing secret must be whsec_ and base64 of at least 24 bytes, exactly as the console shows it',
    );
  }
  return key;
}

function decodeKey(secret: unknown): Buffer | undefined {
  if (typeof secret !== 'string' || !secret.startsWith(signingSecretPrefix)) return undefined;
  const encoded = secret.slice(signingSecretPrefix.length);
  const key = Buffer.from(encoded, 'base64');
  // Decoding skips invalid characters, so a mistyped or shortened secret would be another key, or an empty one.
  return key.length >= minKeyBytes && key.toString('base64') === encoded ? key : undefined;
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

/**
 * True when `header` is the `X-Service-Signature` of exactly these body bytes under `secret`. Compares in constant time.
 * False for anything malformed or missing, including a secret without a usable key; never throws.
 */
export function verifySignature(secret: string, body: Uint8Array, header: string | undefined): boolean {
  try {
    return (
      typeof header === 'string' &&
      decodeKey(secret) !== undefined &&
      equalInConstantTime(header, signBody(secret, body))
    );
  } catch {
    return false;
  }
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
 * @throws TypeError for a secret without a usable key, see {@link signingKeyOf}.
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

/** What a `webhook-signature` is checked against. */
export type StandardVerificationInput = StandardSignatureInput & { signatures: string };

/** Signatures that are checked. A rotation has two; a longer list only costs time. */
const maxSignatures = 16;

/**
 * True when one of the space-separated signatures is valid under one of the secrets (Standard Webhooks, "Verifying").
 *
 * @throws TypeError for a secret without a usable key
 */
export function verifyStandardSignature({
  signatures,
  secrets,
  ...signed
}: StandardVerificationInput): boolean {
  const given = signatures.split(' ', maxSignatures);
  let valid = false;
  for (const secret of secrets) {
    const expected = standardSignature({ ...signed, secrets: [secret] });
    for (const signature of given) valid = equalInConstantTime(signature, expected) || valid;
  }
  return valid;
}

function equalInConstantTime(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  // The length of a signature is public, so comparing it first leaks nothing.
  return left.length === right.length && timingSafeEqual(left, right);
}
