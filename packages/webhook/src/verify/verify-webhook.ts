import { signingKeyOf, verifySignature, verifyStandardSignature } from '../signatures.ts';
import { idempotencyKeyOf, parseEvent, type WebhookEvent } from './webhook-event.ts';

/** The default maximum difference between the clocks of sender and receiver, in seconds (Standard Webhooks). */
const defaultTolerance = 300;

/** Request headers of Node, Express or fetch, with names in any case. */
export type WebhookHeaders =
  { get: (name: string) => string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request to verify. */
export type WebhookVerificationInput = {
  headers: WebhookHeaders;
  /** The bytes as received; never JSON that was parsed and serialized again. */
  body: Uint8Array;
  /** Signing secrets as the console shows them, `whsec_` included. During a rotation: the new and the old one. */
  secrets: readonly string[];
  /** Maximum difference between `webhook-timestamp` and `now`, either way. Default 300 s. */
  toleranceSeconds?: number | undefined;
  /** The receiver's clock, as a date or in ms. */
  now?: Date | number | undefined;
  /** Whether to reject a request without a signed timestamp, see {@link verifyWebhook}. Default true. */
  requireTimestamp?: boolean | undefined;
};

/** Why a request is not accepted as a webhook: the complete list, each with a sentence for developers. */
export const verificationFailures = {
  missing_signature: 'webhook-signature and X-Service-Signature are both missing',
  malformed_signature: 'X-Service-Signature is not "sha256=" and 64 lower-case hex digits',
  wrong_signature: 'no signature is valid for these bytes under any of the secrets',
  missing_delivery_id: 'webhook-id and X-Service-Delivery are both missing',
  mismatched_delivery_id: 'X-Service-Delivery is not the signed webhook-id',
  missing_timestamp:
    'there is no signed timestamp, so a replayed request cannot be detected: let webhook-id, webhook-timestamp and ' +
    'webhook-signature through your proxy, or set requireTimestamp to false and grant each reward.id once',
  malformed_timestamp: 'webhook-timestamp is not a whole number of seconds',
  too_old: 'webhook-timestamp is too far in the past: an old request was sent again, or your clock is fast',
  too_new: 'webhook-timestamp is too far in the future: your clock is slow',
  malformed_event: 'the signature is valid but the body is not an event in JSON',
} as const;

/** One of {@link verificationFailures}. */
export type VerificationFailure = keyof typeof verificationFailures;

/**
 * A verified webhook with its event, or the reason why it is not accepted. `signedBy` is the signature that was verified:
 * `deliveryId` is covered by `standard` and not by `contract`. `key` is {@link idempotencyKeyOf} the event: grant once for
 * each.
 */
export type WebhookVerification<Data = unknown> =
  | {
      ok: true;
      event: WebhookEvent<Data>;
      key: string;
      deliveryId: string;
      signedBy: 'standard' | 'contract';
    }
  | { ok: false; reason: VerificationFailure; message: string };

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
export function verifyWebhook<Data = unknown>(input: WebhookVerificationInput): WebhookVerification<Data> {
  checkInput(input);
  const { headers, body } = input;
  const contractId = headerOf(headers, 'x-service-delivery');
  const signatures = headerOf(headers, 'webhook-signature');
  const failure = signatures
    ? verifyStandardHeaders(input, signatures, contractId)
    : verifyContractHeaders(input, contractId);
  if (failure) return reject(failure, input);
  const event = parseEvent(body) as WebhookEvent<Data> | undefined;
  if (!event) return reject('malformed_event', input);
  const deliveryId = (signatures ? headerOf(headers, 'webhook-id') : contractId) as string;
  const signedBy = signatures ? 'standard' : 'contract';
  return { ok: true, event, key: idempotencyKeyOf(event), deliveryId, signedBy };
}

function reject(
  reason: VerificationFailure,
  { headers, now = Date.now(), toleranceSeconds = defaultTolerance }: WebhookVerificationInput,
): Extract<WebhookVerification, { ok: false }> {
  const message = verificationFailures[reason];
  if (reason !== 'too_old' && reason !== 'too_new') return { ok: false, reason, message };
  const apart = Math.abs(Math.floor(Number(now) / 1000) - Number(headerOf(headers, 'webhook-timestamp')));
  return { ok: false, reason, message: `${message} (${apart} s apart, ${toleranceSeconds} s are allowed)` };
}

function verifyStandardHeaders(
  { headers, body, secrets, toleranceSeconds = defaultTolerance, now = Date.now() }: WebhookVerificationInput,
  signatures: string,
  contractId: string | undefined,
): VerificationFailure | undefined {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!id) return 'missing_delivery_id';
  if (!timestamp) return 'missing_timestamp';
  if (!/^[1-9]\d{0,14}$/.test(timestamp)) return 'malformed_timestamp';
  const timestampSeconds = Number(timestamp);
  // The signature is verified first: the time of a forged request is of no use in an error.
  if (!verifyStandardSignature({ signatures, id, timestampSeconds, body, secrets })) return 'wrong_signature';
  if (contractId !== undefined && contractId !== id) return 'mismatched_delivery_id';
  const nowSeconds = Math.floor(Number(now) / 1000);
  if (timestampSeconds < nowSeconds - toleranceSeconds) return 'too_old';
  return timestampSeconds > nowSeconds + toleranceSeconds ? 'too_new' : undefined;
}

function verifyContractHeaders(
  { headers, body, secrets, requireTimestamp }: WebhookVerificationInput,
  contractId: string | undefined,
): VerificationFailure | undefined {
  const signature = headerOf(headers, 'x-service-signature');
  if (!signature) return 'missing_signature';
  if (!/^sha256=[0-9a-f]{64}$/.test(signature)) return 'malformed_signature';
  const valid = secrets.map((secret) => verifySignature(secret, body, signature));
  if (!valid.includes(true)) return 'wrong_signature';
  // Not `!requireTimestamp`: a value that is missing or of another type must not disable the check.
  if (requireTimestamp !== false) return 'missing_timestamp';
  return contractId === undefined ? 'missing_delivery_id' : undefined;
}

function checkInput(input: WebhookVerificationInput): void {
  if (!(input.body instanceof Uint8Array)) throw new TypeError('body must be the raw bytes (a Buffer)');
  checkVerificationOptions(input);
  if (Number.isNaN(Number(input.now ?? 0))) throw new TypeError('now must be a date or milliseconds');
}

/**
 * @throws TypeError when there is no secret, when one has no usable key (often a variable that is not set), and when the
 * tolerance is not a number.
 */
export function checkVerificationOptions({
  secrets,
  toleranceSeconds = defaultTolerance,
}: Pick<WebhookVerificationInput, 'secrets' | 'toleranceSeconds'>): void {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError('secrets must be a list of at least one signing secret');
  }
  secrets.forEach(signingKeyOf);
  // A string, as in the environment, would be appended to the time instead of added: any future time would pass.
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0)) {
    throw new TypeError('toleranceSeconds must be a number, 0 or more');
  }
}

/** The value of a header, `name` in lower case. Undefined when it is empty, not a string, or sent several times. */
function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const values: unknown[] = isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.keys(headers)
        .filter((key) => key.toLowerCase() === name)
        .flatMap((key) => headers[key] ?? []);
  const [value, ...more] = values;
  return typeof value === 'string' && value !== '' && more.length === 0 ? value : undefined;
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get: (name: string) => string | null } {
  return typeof headers.get === 'function';
}
