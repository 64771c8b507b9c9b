import { createHmac, randomUUID } from 'node:crypto';
import { signingKeysOf } from './signing-key.ts';
import { parseEvent } from './webhook-event.ts';

/** A webhook to sign. */
export type WebhookToSign = {
  /** The bytes that are sent. */
  body: Uint8Array;
  /** The secrets that sign it: one, or two as during a rotation. The first signs `X-Service-Signature`. */
  secrets: readonly (string | undefined)[];
  /** A UUID; default a new one. */
  deliveryId?: string;
  /** When it is sent, in seconds since 1970; default now. */
  timestampSeconds?: number;
};

/**
 * The headers that Rewardhook sends with a body. For tests of your receiver, such as those that send an event twice.
 * @throws TypeError for a secret without a usable key, and without a secret
 */
export function signWebhook({
  body,
  secrets,
  deliveryId = randomUUID(),
  timestampSeconds = Math.floor(Date.now() / 1000),
}: WebhookToSign): Record<string, string> {
  const keys = signingKeysOf(secrets);
  const signed = `${deliveryId}.${timestampSeconds}.`;
  const standard = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'X-Service-Event': parseEvent(body)?.type ?? '',
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': '1',
    'X-Service-Signature': `sha256=${createHmac('sha256', secrets[0] ?? '')
      .update(body)
      .digest('hex')}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standard.join(' '),
  };
}
