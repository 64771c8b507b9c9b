import { attemptColumns, isDelivered } from './attempt-result.ts';
import type { AttemptColumns, AttemptResult } from './attempt-result.ts';
import { chooseSigningSecrets } from './delivery-headers.ts';
import type { SigningKey } from './delivery-headers.ts';
import { sendDelivery } from './send-delivery.ts';
import type { WebhookClient } from './webhook-client.ts';

/** A stored `webhook.ping`, to be sent once and now. */
export type Ping = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  url: string;
  /** The exact text that is signed and sent. */
  body: string;
  /** Newest first. */
  signingKeys: readonly SigningKey[];
};

/** Inserts a ping before it is sent and its attempt afterwards: `openPingStore` of packages/database. */
export type PingStore = {
  prepare(): Promise<Ping | undefined>;
  record(ping: Ping, attempt: AttemptColumns & { startedAt: Date; delivered: boolean }): Promise<void>;
};

/** What was sent, and the result. `delivered`: whether the response was a 2xx. */
export type SentPing = Omit<Ping, 'signingKeys'> & {
  delivered: boolean;
  requestHeaders: Record<string, string> | null;
  outcome: AttemptResult;
};

/**
 * Sends a ping through the guarded client, once, and records the attempt. Returns undefined when there is no endpoint to
 * send it to. The circuit breaker neither delays it nor counts a failure, and there is no retry.
 */
export async function sendPing(client: WebhookClient, store: PingStore): Promise<SentPing | undefined> {
  const ping = await store.prepare();
  if (!ping) return undefined;
  const { signingKeys, ...sent } = ping;
  const signing = chooseSigningSecrets(signingKeys);
  const { startedAt, result } = await sendDelivery(client, { ...sent, attempt: 1, signing });
  const delivered = isDelivered(result);
  const columns = attemptColumns(result);
  await store.record(ping, { ...columns, startedAt, delivered });
  return { ...sent, delivered, requestHeaders: columns.requestHeaders, outcome: result };
}
