import type { AttemptResult } from './attempt-result.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { SigningSecrets } from './delivery-headers.ts';
import type { WebhookClient } from './webhook-client.ts';

/** A delivery that is sent once and now. */
export type Ping = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  url: string;
  /** The exact text that is signed and sent. */
  body: string;
  signing?: SigningSecrets | undefined;
};

/** An attempt in the shape it is kept in. */
export type PingAttempt = {
  startedAt: Date;
  /** A 2xx came. */
  delivered: boolean;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  timings: object;
  responseBody: string | null;
  /** As sent; null when nothing was sent. */
  requestHeaders: Record<string, string> | null;
};

/** Where pings come from and are kept: `openPingStore` of @rewardhook/database. */
export type PingStore<P extends Ping> = {
  prepare(): Promise<P | undefined>;
  record(ping: P, attempt: PingAttempt): Promise<void>;
};

/** What was sent, and what came back. */
export type SentPing = Omit<Ping, 'signing'> & {
  delivered: boolean;
  requestHeaders: Record<string, string> | null;
  outcome: AttemptResult;
};

/**
 * Sends a ping through the guard like every webhook, once, and says what came back; undefined when there is nowhere to
 * send it. Neither breaker nor retries have a part in it.
 */
export async function sendPing<P extends Ping>(
  client: WebhookClient,
  records: PingStore<P>,
): Promise<SentPing | undefined> {
  const ping = await records.prepare();
  if (!ping) return undefined;
  const { signing, ...shown } = ping;
  const { deliveryId, eventId, eventType, url, body: text } = shown;
  const startedAt = new Date();
  const body = Buffer.from(text, 'utf8');
  const timestampSeconds = Math.floor(startedAt.getTime() / 1_000);
  const headers = deliveryHeaders({ eventType, deliveryId, attempt: 1, body, signing, timestampSeconds });
  const outcome = await client.attempt({ url, headers, body });
  const requestHeaders = outcome.requestHeaders ?? null;
  const answered = outcome.result === 'response';
  const delivered = answered && outcome.status >= 200 && outcome.status < 300;
  await records.record(ping, {
    startedAt,
    delivered,
    status: outcome.status ?? null,
    errorClass: answered ? null : outcome.errorClass,
    errorMessage: answered ? null : outcome.message,
    timings: outcome.timings,
    responseBody: outcome.responseBody ?? null,
    requestHeaders,
  });
  return { deliveryId, eventId, eventType, url, body: text, delivered, requestHeaders, outcome };
}
