import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { signingKeyOf } from '@rewardhook/verify';
import { signBody, standardSignatureByKeys } from './signatures.ts';

/** A signing key that has not expired. `promoted`: it may sign `X-Service-Signature`. */
export type SigningKey = { secret: string; promoted: boolean };

/** The secrets that sign a delivery: `primary` signs `X-Service-Signature`, all sign `webhook-signature`. */
export type SigningSecrets = { primary: string; all: readonly string[] };

/** The key that signs `X-Service-Signature`: the newest one that is promoted. Keys are given newest first. */
export function findPrimaryKey<Key extends { promoted: boolean }>(keys: readonly Key[]): Key | undefined {
  return keys.find(({ promoted }) => promoted);
}

/**
 * Chooses the secrets that sign a delivery, of the keys that have not expired, newest first. A key that is not promoted
 * yet signs only `webhook-signature`, beside the others, so that receivers can rotate. Undefined without a promoted key:
 * the delivery is then not signed.
 */
export function chooseSigningSecrets(keys: readonly SigningKey[]): SigningSecrets | undefined {
  const primary = findPrimaryKey(keys);
  return primary && { primary: primary.secret, all: keys.map(({ secret }) => secret) };
}

/** The input of the headers of an attempt. `attempt` counts from 1. */
export type DeliveryHeadersInput = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  body: Uint8Array;
  signing?: SigningSecrets | undefined;
  timestampSeconds: number;
  /** The request that caused the event, where it is known. */
  requestId?: string | undefined;
  /** W3C Trace Context. */
  traceparent?: string | undefined;
};

/**
 * The request headers of one attempt: the contract's three, the attempt number, and the three of Standard Webhooks, whose id
 * is the delivery id, and the request id and `traceparent` where they are known. Without a signing key both signature headers are absent
 * (contract, "Webhook signature", rule 4).
 */
export function deliveryHeaders(input: DeliveryHeadersInput): Record<string, string> {
  const { eventType, deliveryId, attempt, body, signing, timestampSeconds, requestId, traceparent } = input;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Rewardhook/1',
    'X-Service-Event': eventType,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
  };
  if (requestId !== undefined) headers['X-Service-Request-Id'] = requestId;
  if (traceparent !== undefined) headers['traceparent'] = traceparent;
  if (signing) {
    const { primary, all } = keysOf(signing);
    headers['X-Service-Signature'] = signBody(primary, body);
    headers['webhook-signature'] = standardSignatureByKeys({
      id: deliveryId,
      timestampSeconds,
      body,
      keys: all,
    });
  }
  return headers;
}

/** The keys of the secrets that sign a delivery. */
type SigningKeyObjects = { primary: KeyObject; all: KeyObject[] };

/** The keys of secrets that signed before: the deliveries of an endpoint are signed with the same object. */
const knownKeys = new WeakMap<SigningSecrets, SigningKeyObjects>();

function keysOf(signing: SigningSecrets): SigningKeyObjects {
  let keys = knownKeys.get(signing);
  if (!keys) {
    keys = {
      primary: createSecretKey(signing.primary, 'utf8'),
      all: signing.all.map((secret) => createSecretKey(signingKeyOf(secret))),
    };
    knownKeys.set(signing, keys);
  }
  return keys;
}
