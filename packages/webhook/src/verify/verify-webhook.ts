import { headerOf, type WebhookHeaders } from './header-of.ts';
import { verificationFailures, type VerificationFailure } from './verification-failure.ts';
import { verifySignature } from './verify-signature.ts';
import { verifyStandard } from './verify-standard.ts';
import { parseEvent, type WebhookEvent } from './webhook-event.ts';

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
  /** Refuse what has no signed timestamp, see {@link verifyWebhook}. Default false. */
  requireTimestamp?: boolean | undefined;
};

/** A webhook of ours with its event, or the reason why it is none. `signedBy` tells which signature counted. */
export type WebhookVerification<Data = unknown> =
  | { ok: true; event: WebhookEvent<Data>; deliveryId: string; signedBy: 'standard' | 'contract' }
  | { ok: false; reason: VerificationFailure; message: string };

/**
 * Says whether a request is a webhook that the holder of one of `secrets` has signed, and gives its event.
 *
 * Which signature counts: when `webhook-signature` is there, the Standard Webhooks trio decides alone. It
 * covers the id and the time as well as the body, and during a rotation it is made with both keys, while
 * `X-Service-Signature` is made with one that the receiver may not have yet. When it is absent, a right
 * `X-Service-Signature` is enough: the contract asks for no more, and a proxy may let only `X-Service-*`
 * through. It covers neither time nor id, so whoever has recorded one such request can repeat it:
 * receivers whose proxy keeps all headers should set `requireTimestamp`, others should grant by
 * `event.data.reward.id`, which is signed.
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
  if (reason) return { ok: false, reason, message: verificationFailures[reason] };
  const event = parseEvent(body) as WebhookEvent<Data> | undefined;
  if (!event) return { ok: false, reason: 'malformed_event', message: verificationFailures.malformed_event };
  const deliveryId = (signatures ? headerOf(headers, 'webhook-id') : contractId) as string;
  return { ok: true, event, deliveryId, signedBy: signatures ? 'standard' : 'contract' };
}

function againstStandard(
  { headers, body, secrets, toleranceSeconds = 300, now = Date.now() }: WebhookVerificationInput,
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
  { headers, body, secrets, requireTimestamp = false }: WebhookVerificationInput,
  contractId: string | undefined,
): VerificationFailure | undefined {
  const signature = headerOf(headers, 'x-service-signature');
  if (!signature) return 'missing_signature';
  if (!/^sha256=[0-9a-f]{64}$/.test(signature)) return 'malformed_signature';
  const right = secrets.map((secret) => verifySignature(secret, body, signature));
  if (!right.includes(true)) return 'wrong_signature';
  if (requireTimestamp) return 'missing_timestamp';
  return contractId === undefined ? 'missing_delivery_id' : undefined;
}

function checkInput({ body, secrets, toleranceSeconds = 300, now = 0 }: WebhookVerificationInput): void {
  if (!(body instanceof Uint8Array)) throw new TypeError('body must be the raw bytes (a Buffer)');
  checkSecrets(secrets);
  // Text, as the environment has it, would be appended to the time instead of added: any future would do.
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0)) {
    throw new TypeError('toleranceSeconds must be a number, 0 or more');
  }
  if (Number.isNaN(Number(now))) throw new TypeError('now must be a date or milliseconds');
}

/** @throws TypeError when there is no secret, or an empty one: a key that everybody knows, often a variable not set. */
export function checkSecrets(secrets: unknown): void {
  const usable = Array.isArray(secrets) && secrets.length > 0;
  if (!usable || secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
    throw new TypeError('secrets must be a list of at least one signing secret, none of them empty');
  }
}
