import { createHmac, timingSafeEqual } from 'node:crypto';
import { signingKeyOf } from './signing-key.ts';
import { readSignatureCheck } from './verify-input.ts';
import type { SignatureCheck, WebhookVerification, WebhookVerificationInput } from './verify-input.ts';

/**
 * Verifies that a request is a webhook signed with one of `secrets`, and returns its event.
 *
 * If `webhook-signature` is present, only the three Standard Webhooks headers are verified. They cover the id and the time
 * as well as the body, and during a rotation they are signed with both keys, while `X-Service-Signature` is signed with
 * one, which the receiver may not have yet.
 *
 * If it is absent, the request is rejected with `missing_timestamp` even if `X-Service-Signature` is valid: that one
 * covers neither the time nor the id, so a recorded request can be replayed at any time. `requireTimestamp: false`
 * accepts it. It is intended for receivers behind a proxy that removes `webhook-*` headers and cannot be changed. In
 * both cases, do the work once for each `key`.
 *
 * @throws TypeError for errors of the caller: no secret, an unusable one, a body that is not bytes.
 */
export function verifyWebhook(input: WebhookVerificationInput): WebhookVerification {
  const check = readSignatureCheck(input);
  return 'conclude' in check ? check.conclude(hasValidSignature(check)) : check;
}

/**
 * True when `header` is the `X-Service-Signature` of exactly these body bytes under `secret`. Compares in constant time.
 * False for anything malformed or missing, including a secret without a usable key; never throws.
 */
export function verifySignature(
  secret: string | undefined,
  body: Uint8Array,
  header: string | undefined,
): boolean {
  try {
    signingKeyOf(secret);
    const expected = `sha256=${createHmac('sha256', secret ?? '')
      .update(body)
      .digest('hex')}`;
    return typeof header === 'string' && isEqual(Buffer.from(header), Buffer.from(expected));
  } catch {
    return false;
  }
}

/** Compares every signature with the HMAC of every key, so that the time does not depend on which one is valid. */
function hasValidSignature({ keys, message, signatures }: SignatureCheck): boolean {
  const expected = keys.map((key) => createHmac('sha256', key).update(message).digest());
  return expected.flatMap((one) => signatures.map((given) => isEqual(given, one))).includes(true);
}

function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  // The length of a signature is public, so comparing it first leaks nothing.
  return given.length === expected.length && timingSafeEqual(given, expected);
}
