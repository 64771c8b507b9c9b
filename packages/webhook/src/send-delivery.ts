import type { AttemptResult } from './attempt-result.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { SigningSecrets } from './delivery-headers.ts';
import type { WebhookClient } from './webhook-client.ts';

/** A delivery to send. `attempt` counts from 1. */
export type OutgoingDelivery = {
  url: string;
  deliveryId: string;
  eventType: string;
  attempt: number;
  /** The exact text that is signed and sent. */
  body: string;
  /** Without it, the delivery is not signed. */
  signing?: SigningSecrets | undefined;
  /** The request that caused the event, where it is known. */
  requestId?: string | undefined;
  /** W3C Trace Context. */
  traceparent?: string | undefined;
};

/** One POST of a delivery. */
export type SentDelivery = { startedAt: Date; result: AttemptResult };

/** Signs the stored text of a delivery and POSTs it once. Never rejects. */
export async function sendDelivery(
  client: WebhookClient,
  { url, body: text, ...delivery }: OutgoingDelivery,
): Promise<SentDelivery> {
  const startedAt = new Date();
  const body = Buffer.from(text, 'utf8');
  const timestampSeconds = Math.floor(startedAt.getTime() / 1_000);
  const headers = deliveryHeaders({ ...delivery, body, timestampSeconds });
  return { startedAt, result: await client.attempt({ url, headers, body }) };
}
