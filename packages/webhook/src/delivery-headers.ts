import { signBody } from './sign-body.ts';
import { standardSignature } from './standard-signature.ts';

/** The secrets of a merchant: the one the contract's header uses, and all that sign during a rotation. */
export type SigningSecrets = { primary: string; all: readonly string[] };

/** One attempt of one delivery, as its headers need it. `attempt` counts from 1. */
export type DeliveryHeadersInput = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  body: Uint8Array;
  signing?: SigningSecrets | undefined;
  timestampSeconds: number;
};

/**
 * The request headers of one attempt: the contract's three, the attempt number, and the Standard Webhooks
 * trio (whose id is the delivery id). Without a signing key both signature headers are absent (contract,
 * "Webhook signature", rule 4).
 */
export function deliveryHeaders(input: DeliveryHeadersInput): Record<string, string> {
  const { eventType, deliveryId, attempt, body, signing, timestampSeconds } = input;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Rewardhook/1',
    'X-Service-Event': eventType,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
  };
  if (signing) {
    headers['X-Service-Signature'] = signBody(signing.primary, body);
    headers['webhook-signature'] = standardSignature({
      id: deliveryId,
      timestampSeconds,
      body,
      secrets: signing.all,
    });
  }
  return headers;
}
