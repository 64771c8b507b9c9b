import { attemptColumns, isDelivered } from './attempt-result.ts';
import type { AttemptColumns, AttemptResult } from './attempt-result.ts';
import { chooseSigningSecrets } from './delivery-headers.ts';
import type { SigningKey } from './delivery-headers.ts';
import { sendDelivery } from './send-delivery.ts';
import type { WebhookClient } from './webhook-client.ts';

/** A stored test event, to be sent once and now. */
export type TestEvent = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  url: string;
  /** The exact text that is signed and sent. */
  body: string;
  /** Newest first. */
  signingKeys: readonly SigningKey[];
};

/** Inserts a test event before it is sent and its attempt afterwards: `openTestEventStore` of packages/database. */
export type TestEventStore = {
  prepare(): Promise<TestEvent | undefined>;
  record(event: TestEvent, attempt: AttemptColumns & { startedAt: Date; delivered: boolean }): Promise<void>;
};

/** What was sent, and the result. `delivered`: whether the response was a 2xx. */
export type SentTestEvent = Omit<TestEvent, 'signingKeys'> & {
  delivered: boolean;
  requestHeaders: Record<string, string> | null;
  outcome: AttemptResult;
};

/**
 * Sends a test event through the guarded client, once, and records the attempt. Returns undefined when there is no endpoint to
 * send it to. The circuit breaker neither delays it nor counts a failure, and there is no retry.
 */
export async function sendTestEvent(
  client: WebhookClient,
  store: TestEventStore,
): Promise<SentTestEvent | undefined> {
  const event = await store.prepare();
  if (!event) return undefined;
  const { signingKeys, ...sent } = event;
  const signing = chooseSigningSecrets(signingKeys);
  const { startedAt, result } = await sendDelivery(client, { ...sent, attempt: 1, signing });
  const delivered = isDelivered(result);
  const columns = attemptColumns(result);
  await store.record(event, { ...columns, startedAt, delivered });
  return { ...sent, delivered, requestHeaders: columns.requestHeaders, outcome: result };
}
