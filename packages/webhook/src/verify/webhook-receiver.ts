import type { WebhookHeaders } from './header-of.ts';
import { bodyFailures, readRawBody, type BodyFailure, type RawRequest } from './read-raw-body.ts';
import type { SeenDeliveries } from './seen-deliveries.ts';
import type { VerificationFailure } from './verification-failure.ts';
import {
  checkSecrets,
  verifyWebhook,
  type WebhookVerification,
  type WebhookVerificationInput,
} from './verify-webhook.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** A request of `node:http` or Express. */
export type ReceiverRequest = RawRequest & { headers: WebhookHeaders };

/** A response of `node:http` or Express. */
export type ReceiverResponse = {
  statusCode: number;
  setHeader: (name: string, value: string) => unknown;
  end: (text: string) => unknown;
};

/** What to verify with, what to remember with, and what to do with an event. */
export type WebhookReceiverOptions<Data> = Pick<
  WebhookVerificationInput,
  'secrets' | 'toleranceSeconds' | 'requireTimestamp'
> & {
  seen: SeenDeliveries;
  /** Runs once for each delivery. When it throws, the delivery is forgotten and comes again later. */
  onEvent: (event: WebhookEvent<Data>, delivery: { deliveryId: string }) => unknown;
  /** Hears what `onEvent` and `seen` throw; `console.error` unless told. */
  onError?: (error: unknown) => void;
  /** Default 1 MiB. */
  maxBodyBytes?: number;
  /** The receiver's clock in ms. */
  now?: () => number;
};

/** Everything the receiver says in `code` beside `ok`. */
export type ReceiverCode = VerificationFailure | BodyFailure | 'duplicate' | 'handler_failed';

/**
 * A handler for `app.post('/webhooks', webhookReceiver({ … }))`, and for `node:http` as it is. It needs the raw
 * bytes: mount it before `express.json()`, or behind `express.raw({ type: '*\/*' })`.
 *
 * Answers 400 and the reason when the request is not verified, 200 when `onEvent` is done, 200 without
 * calling it for a duplicate, 500 when it throws. A duplicate that comes while the first one is still being
 * worked on waits for it and shares its fate: a 200 for it would end the retries of work that then fails.
 *
 * @throws TypeError at once when a secret is missing or empty: usually a variable that is not set.
 */
export function webhookReceiver<Data = unknown>(
  options: WebhookReceiverOptions<Data>,
): (request: ReceiverRequest, response: ReceiverResponse) => Promise<void> {
  const { seen, onEvent, onError = console.error, maxBodyBytes = 1_048_576, now = Date.now } = options;
  checkSecrets(options.secrets);
  const underWay = new Map<string, Promise<boolean>>();
  /** Seen, but not done: what `seen` could not forget yet. */
  const unforgotten = new Set<string>();

  type Verified = Extract<WebhookVerification<Data>, { ok: true }>;

  /** True when the event was handled now, false for a duplicate. */
  async function handle({ event, deliveryId }: Verified): Promise<boolean> {
    if (unforgotten.has(deliveryId)) await forget(deliveryId);
    if (!(await seen.firstTime(deliveryId))) return false;
    try {
      await onEvent(event, { deliveryId });
      return true;
    } catch (error) {
      unforgotten.add(deliveryId);
      await forget(deliveryId).catch(onError);
      throw error;
    }
  }

  async function forget(deliveryId: string): Promise<void> {
    await seen.forget(deliveryId);
    unforgotten.delete(deliveryId);
  }

  async function handleOnce(verified: Verified): Promise<'ok' | 'duplicate'> {
    const { deliveryId } = verified;
    const first = underWay.get(deliveryId);
    if (first) return first.then(() => 'duplicate');
    const handling = handle(verified).finally(() => underWay.delete(deliveryId));
    underWay.set(deliveryId, handling);
    return (await handling) ? 'ok' : 'duplicate';
  }

  return async (request, response) => {
    const body = await readRawBody(request, maxBodyBytes);
    if (typeof body === 'string') return answer(response, bodyFailures[body][0], body, bodyFailures[body][1]);
    try {
      const verified = verifyWebhook<Data>({ ...options, headers: request.headers, body, now: now() });
      if (!verified.ok) return answer(response, 400, verified.reason, verified.message);
      const code = await handleOnce(verified);
      answer(response, 200, code, code === 'ok' ? 'handled' : 'was handled before');
    } catch (error) {
      onError(error);
      answer(response, 500, 'handler_failed', 'the event could not be handled; send it again');
    }
  };
}

function answer(
  response: ReceiverResponse,
  status: number,
  code: ReceiverCode | 'ok',
  message: string,
): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  // What was not read would be taken for the next request on this connection.
  if (status === 413) response.setHeader('connection', 'close');
  response.end(JSON.stringify({ code, message }));
}
