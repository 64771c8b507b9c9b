import { headerOf, type WebhookHeaders } from './header-of.ts';
import { signingKeyOf } from '../signing-secret.ts';
import { verificationFailures, type VerificationFailure } from './verification-failure.ts';
import { verifySignature } from './verify-signature.ts';
import { verifyStandard } from './verify-standard.ts';
import { idempotencyKeyOf, parseEvent, type WebhookEvent } from './webhook-event.ts';

/** How far the clocks of sender and receiver may be apart, in seconds (Standard Webhooks). */
const defaultTolerance = 300;

/** A request that may be a webhook, and what it must fit. */
export type WebhookVerificationInput = {
  headers: WebhookHeaders;
  /** The bytes as they came; never JSON that was parsed and written again. */
  body: Uint8Array;
  /** Signing secrets as the console shows them, `whsec_` included. During a rotation: the new and the old one. */
  secrets: readonly string[];
  /** How far `webhook-timestamp` may be from `now`, either way. Default 300 s. */
  toleranceSeconds?: number | undefined;
  /** The receiver's clock, as a date or in ms. */
  now?: Date | number | undefined;
  /** Whether to refuse a request without a signed timestamp, see {@link verifyWebhook}. Default true. */
  requireTimestamp?: boolean | undefined;
};

/**
 * A webhook of ours with its event, or the reason why it is none. `signedBy` says which signature counted: `deliveryId`
 * is covered by `standard` and not by `contract`. `key` is {@link idempotencyKeyOf} the event: grant once for each.
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
 * Says whether a request is a webhook that the holder of one of `secrets` has signed, and gives its event.
 *
 * Which signature counts: when `webhook-signature` is there, the Standard Webhooks trio decides alone. It
 * covers the id and the time as well as the body, and during a rotation it is made with both keys, while
 * `X-Service-Signature` is made with one that the receiver may not have yet. When it is absent, the request is refused
 * with `missing_timestamp` even if `X-Service-Signature` is right: that one covers neither time nor id, so whoever has
 * recorded a request can repeat it at any time. `requireTimestamp: false` accepts it; it is meant for receivers
 * behind a proxy that removes `webhook-*` headers and cannot be changed. In either case do the work once for each `key`.
 *
 * @throws TypeError for what is a fault of the caller: no secret, an empty one, a body that is not bytes.
 */
export function verifyWebhook<Data = unknown>(input: WebhookVerificationInput): WebhookVerification<Data> {
  checkInput(input);
  const { headers, body } = input;
  const contractId = headerOf(headers, 'x-service-delivery');
  const signatures = headerOf(headers, 'webhook-signature');
  const reason = signatures
    ? againstStandard(input, signatures, contractId)
    : againstContract(input, contractId);
  if (reason) return refuse(reason, input);
  const event = parseEvent(body) as WebhookEvent<Data> | undefined;
  if (!event) return refuse('malformed_event', input);
  const deliveryId = (signatures ? headerOf(headers, 'webhook-id') : contractId) as string;
  const signedBy = signatures ? 'standard' : 'contract';
  return { ok: true, event, key: idempotencyKeyOf(event), deliveryId, signedBy };
}

function refuse(
  reason: VerificationFailure,
  { headers, now = Date.now(), toleranceSeconds = defaultTolerance }: WebhookVerificationInput,
): Extract<WebhookVerification, { ok: false }> {
  const message = verificationFailures[reason];
  if (reason !== 'too_old' && reason !== 'too_new') return { ok: false, reason, message };
  const apart = Math.abs(Math.floor(Number(now) / 1000) - Number(headerOf(headers, 'webhook-timestamp')));
  return { ok: false, reason, message: `${message} (${apart} s apart, ${toleranceSeconds} s are allowed)` };
}

function againstStandard(
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
  // The signature first: what is said about the time of a forged request helps nobody.
  if (!verifyStandard({ signatures, id, timestampSeconds, body, secrets })) return 'wrong_signature';
  if (contractId !== undefined && contractId !== id) return 'mismatched_delivery_id';
  const nowSeconds = Math.floor(Number(now) / 1000);
  if (timestampSeconds < nowSeconds - toleranceSeconds) return 'too_old';
  return timestampSeconds > nowSeconds + toleranceSeconds ? 'too_new' : undefined;
}

function againstContract(
  { headers, body, secrets, requireTimestamp }: WebhookVerificationInput,
  contractId: string | undefined,
): VerificationFailure | undefined {
  const signature = headerOf(headers, 'x-service-signature');
  if (!signature) return 'missing_signature';
  if (!/^sha256=[0-9a-f]{64}$/.test(signature)) return 'malformed_signature';
  const right = secrets.map((secret) => verifySignature(secret, body, signature));
  if (!right.includes(true)) return 'wrong_signature';
  // Not `!requireTimestamp`: what is not set, or set to something odd, must not switch it off.
  if (requireTimestamp !== false) return 'missing_timestamp';
  return contractId === undefined ? 'missing_delivery_id' : undefined;
}

function checkInput(input: WebhookVerificationInput): void {
  if (!(input.body instanceof Uint8Array)) throw new TypeError('body must be the raw bytes (a Buffer)');
  checkVerificationOptions(input);
  if (Number.isNaN(Number(input.now ?? 0))) throw new TypeError('now must be a date or milliseconds');
}

/**
 * @throws TypeError when there is no secret, or one without a usable key (often a variable that is not set), and when the
 * tolerance is no number.
 */
export function checkVerificationOptions({
  secrets,
  toleranceSeconds = defaultTolerance,
}: Pick<WebhookVerificationInput, 'secrets' | 'toleranceSeconds'>): void {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError('secrets must be a list of at least one signing secret');
  }
  secrets.forEach(signingKeyOf);
  // Text, as the environment has it, would be appended to the time instead of added: any future would do.
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0)) {
    throw new TypeError('toleranceSeconds must be a number, 0 or more');
  }
}
