import { decodeBase64, signingKeysOf } from './signing-key.ts';
import type { WebhookEvent } from './events.ts';
import { idempotencyKeyOf, isTestEvent, parseEvent } from './webhook-event.ts';

/** The default maximum difference between the clocks of sender and receiver, in seconds (Standard Webhooks). */
const defaultTolerance = 300;

/** The default maximum size of a body. Events have a few hundred bytes. */
export const defaultMaxBodyBytes = 1_048_576;

/** Request headers of Node, Express, Fastify or fetch, with names in any case. */
export type WebhookHeaders =
  { get: (name: string) => string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How requests are verified. */
export type VerificationOptions = {
  /**
   * Signing secrets as the console shows them, `whsec_` included. During a rotation: the new and the old one. One that is
   * undefined, often a variable that is not set, is an error that names it.
   */
  secrets: readonly (string | undefined)[];
  /** Maximum difference between `webhook-timestamp` and `now`, either way. Default 300 s. */
  toleranceSeconds?: number | undefined;
  /** Whether to reject a request without a signed timestamp, see `verifyWebhook`. Default true. */
  requireTimestamp?: boolean | undefined;
  /** Maximum size of a body. Default 1 MiB. */
  maxBodyBytes?: number | undefined;
  /**
   * Whether an event of the test side (`mode` is `test`) is handled like one of the live side. Default false: it counts as a
   * test event. Only for a receiver that grants nothing real.
   */
  acceptTestSide?: boolean | undefined;
};

/** A request to verify. */
export type WebhookVerificationInput = VerificationOptions & {
  headers: WebhookHeaders;
  /** The bytes as received; never JSON that was parsed and serialized again. */
  body: Uint8Array;
  /** The receiver's clock, as a date or in ms. */
  now?: Date | number | undefined;
};

/** Why a request is not accepted as a webhook: the complete list, each with a sentence for developers. */
export const verificationFailures = {
  missing_signature: 'webhook-signature and X-Service-Signature are both missing',
  malformed_signature:
    'X-Service-Signature is not "sha256=" and 64 lower-case hex digits, or webhook-signature is not a list of "v1," and base64',
  wrong_signature: 'no signature is valid for these bytes under any of the secrets',
  duplicate_header: 'a header of the signature was sent more than once',
  missing_delivery_id: 'webhook-id and X-Service-Delivery are both missing',
  mismatched_delivery_id: 'X-Service-Delivery is not the signed webhook-id',
  missing_timestamp:
    'there is no signed timestamp, so a replayed request cannot be detected: let webhook-id, webhook-timestamp and ' +
    'webhook-signature through your proxy, or set requireTimestamp to false and grant each reward.id once',
  malformed_timestamp: 'webhook-timestamp is not a whole number of seconds',
  too_old: 'webhook-timestamp is too far in the past: an old request was sent again, or your clock is fast',
  too_new: 'webhook-timestamp is too far in the future: your clock is slow',
  body_too_large: 'the body is larger than a webhook',
  malformed_event: 'the signature is valid but the body is not an event in JSON',
} as const;

/** One of {@link verificationFailures}. */
export type VerificationFailure = keyof typeof verificationFailures;

/**
 * A verified webhook with its event, or the reason why it is not accepted. `key` is `idempotencyKeyOf` the event: grant
 * once for each, and grant nothing when `isTest` is true. `signedBy` is the signature that was verified: `deliveryId` is
 * covered by `standard` and not by `contract`.
 */
export type WebhookVerification =
  | {
      ok: true;
      event: WebhookEvent;
      isTest: boolean;
      key: string;
      deliveryId: string;
      signedBy: 'standard' | 'contract';
    }
  | { ok: false; reason: VerificationFailure; message: string };

/** What is left to do for a request with well-formed headers: one signature must be the HMAC of the message under a key. */
export type SignatureCheck = {
  keys: readonly Uint8Array<ArrayBuffer>[];
  message: Uint8Array<ArrayBuffer>;
  signatures: readonly Uint8Array<ArrayBuffer>[];
  /** The result, when the HMACs have been compared in constant time. */
  conclude(isValid: boolean): WebhookVerification;
};

/** Signatures that are checked. A rotation has two; a longer list only costs time. */
const maxSignatures = 16;

/**
 * Reads the headers of a request. Returns what has to be computed, or the reason why the request is refused without that.
 * @throws TypeError for errors of the caller: no secret, an unusable one, a body that is not bytes.
 */
export function readSignatureCheck(input: WebhookVerificationInput): SignatureCheck | WebhookVerification {
  const keys = checkInput(input);
  const { headers, body, secrets, requireTimestamp, maxBodyBytes = defaultMaxBodyBytes } = input;
  const reject = (reason: VerificationFailure) => rejection(reason, input);
  if (body.length > maxBodyBytes) return reject('body_too_large');
  const given = readHeaders(headers);
  if (given === 'duplicate_header') return reject(given);
  const { id, timestamp, signatures, contractId, contractSignature } = given;

  if (signatures === undefined) {
    if (contractSignature === undefined) return reject('missing_signature');
    const signature = readContractSignature(contractSignature);
    if (!signature) return reject('malformed_signature');
    return {
      keys: secrets.map((secret) => encode(secret ?? '')),
      message: concatenate(body),
      signatures: [signature],
      conclude(isValid) {
        if (!isValid) return reject('wrong_signature');
        // Not `!requireTimestamp`: a value that is missing or of another type must not disable the check.
        if (requireTimestamp !== false) return reject('missing_timestamp');
        if (contractId === undefined) return reject('missing_delivery_id');
        return acceptance(input, contractId, 'contract');
      },
    };
  }

  if (id === undefined) return reject('missing_delivery_id');
  if (timestamp === undefined) return reject('missing_timestamp');
  if (!/^[1-9]\d{0,14}$/.test(timestamp)) return reject('malformed_timestamp');
  const known = readStandardSignatures(signatures);
  if (!known) return reject('malformed_signature');
  return {
    keys,
    message: concatenate(encode(`${id}.${timestamp}.`), body),
    signatures: known,
    conclude(isValid) {
      // The signature is verified first: the time of a forged request is of no use in an error.
      if (!isValid) return reject('wrong_signature');
      if (contractId !== undefined && contractId !== id) return reject('mismatched_delivery_id');
      const aheadSeconds = Number(timestamp) - nowSecondsOf(input);
      const { toleranceSeconds = defaultTolerance } = input;
      if (-aheadSeconds > toleranceSeconds) return reject('too_old');
      if (aheadSeconds > toleranceSeconds) return reject('too_new');
      return acceptance(input, id, 'standard');
    },
  };
}

/**
 * @throws TypeError when there is no secret, when one has no usable key (often a variable that is not set), and when a limit
 * is not a number.
 */
export function checkVerificationOptions({
  secrets,
  toleranceSeconds = defaultTolerance,
  maxBodyBytes = defaultMaxBodyBytes,
}: VerificationOptions): Uint8Array<ArrayBuffer>[] {
  const keys = signingKeysOf(secrets);
  // A string, as in the environment, would be appended to the time instead of added: any future time would pass.
  for (const [name, value] of Object.entries({ toleranceSeconds, maxBodyBytes }))
    if (typeof value !== 'number' || !(value >= 0))
      throw new TypeError(`${name} must be a number, 0 or more`);
  return keys;
}

function checkInput(input: WebhookVerificationInput): Uint8Array<ArrayBuffer>[] {
  if (!(input.body instanceof Uint8Array)) throw new TypeError('body must be the raw bytes (a Buffer)');
  if (Number.isNaN(Number(input.now ?? 0))) throw new TypeError('now must be a date or milliseconds');
  return checkVerificationOptions(input);
}

function acceptance(
  { body, acceptTestSide }: WebhookVerificationInput,
  deliveryId: string,
  signedBy: 'standard' | 'contract',
): WebhookVerification {
  const event = parseEvent(body);
  if (!event) return { ok: false, reason: 'malformed_event', message: verificationFailures.malformed_event };
  const isTest = isTestEvent(event, acceptTestSide);
  return { ok: true, event, isTest, key: idempotencyKeyOf(event), deliveryId, signedBy };
}

function rejection(reason: VerificationFailure, input: WebhookVerificationInput): WebhookVerification {
  const message = verificationFailures[reason];
  if (reason !== 'too_old' && reason !== 'too_new') return { ok: false, reason, message };
  const apart = Math.abs(nowSecondsOf(input) - Number(valuesOf(input.headers, 'webhook-timestamp')[0]));
  const { toleranceSeconds = defaultTolerance } = input;
  return { ok: false, reason, message: `${message} (${apart} s apart, ${toleranceSeconds} s are allowed)` };
}

function nowSecondsOf({ now = Date.now() }: WebhookVerificationInput): number {
  return Math.floor(Number(now) / 1000);
}

/** `sha256=` and lower-case hex; undefined for any other form. */
function readContractSignature(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^sha256=[0-9a-f]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(text.slice(7 + 2 * at, 9 + 2 * at), 16));
}

/** The `v1` signatures of a space-separated list. Other versions are ignored; undefined when one has another form. */
function readStandardSignatures(text: string): Uint8Array<ArrayBuffer>[] | undefined {
  const given = text.split(' ', maxSignatures);
  if (!given.every((one) => /^v\w{1,8},[\w+/=-]+$/.test(one))) return undefined;
  return given.flatMap((one) => {
    const bytes = one.startsWith('v1,') ? decodeBase64(one.slice(3)) : undefined;
    return bytes?.length === 32 ? [bytes] : [];
  });
}

type SignatureHeaders = Partial<
  Record<'id' | 'timestamp' | 'signatures' | 'contractId' | 'contractSignature', string>
>;

const headerNames = [
  ['id', 'webhook-id'],
  ['timestamp', 'webhook-timestamp'],
  ['signatures', 'webhook-signature'],
  ['contractId', 'x-service-delivery'],
  ['contractSignature', 'x-service-signature'],
] as const;

/** The headers of the signature. One that is empty or not a text counts as missing. */
function readHeaders(headers: WebhookHeaders): SignatureHeaders | 'duplicate_header' {
  const found: SignatureHeaders = {};
  for (const [field, name] of headerNames) {
    const [value, ...more] = valuesOf(headers, name);
    // Node and fetch join repeated headers with a comma and a space, which no single value has.
    if (more.length > 0 || (typeof value === 'string' && value.includes(', '))) return 'duplicate_header';
    if (typeof value === 'string' && value !== '') found[field] = value;
  }
  return found;
}

/** The values of a header, `name` in lower case. */
function valuesOf(headers: WebhookHeaders, name: string): unknown[] {
  if (typeof headers.get === 'function') return [headers.get(name)];
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  return Object.keys(record)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => record[key] ?? []);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function concatenate(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
