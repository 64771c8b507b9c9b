import type { HandledEvents } from './handled-events.ts';
import type { WebhookHeaders } from './header-of.ts';
import { bodyFailures, readRawBody, type BodyFailure, type RawRequest } from './read-raw-body.ts';
import type { VerificationFailure } from './verification-failure.ts';
import { checkVerificationOptions, verifyWebhook, type WebhookVerificationInput } from './verify-webhook.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** A request of `node:http` or Express. */
export type ReceiverRequest = RawRequest & { headers: WebhookHeaders };

/** A response of `node:http` or Express. */
export type ReceiverResponse = {
  statusCode: number;
  setHeader: (name: string, value: string) => unknown;
  end: (text: string) => unknown;
};

/** What `onEvent` receives besides the event. */
export type EventContext<Transaction> = {
  /** What the event is remembered by, see {@link idempotencyKeyOf}. */
  key: string;
  /** For your log: each URL and each replay may have another one. */
  deliveryId: string;
  /** What `handled` gives to take part in its transaction. */
  transaction: Transaction;
};

/** What to verify with, what to remember with, and what to do with an event. */
export type WebhookReceiverOptions<Data, Transaction = undefined> = Pick<
  WebhookVerificationInput,
  'secrets' | 'toleranceSeconds' | 'requireTimestamp'
> & {
  /** Remembers what was handled: {@link handledInMemory}, or better your database. */
  handled: HandledEvents<Transaction>;
  /** Runs once for each event. When it throws, the event is not remembered and comes again later. */
  onEvent: (event: WebhookEvent<Data>, context: EventContext<Transaction>) => unknown;
  /** Called with what `onEvent` and `handled` throw; default `console.error`. */
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
 * calling it for an event that was handled before, whichever delivery or URL brought it, and 500 when it throws.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function webhookReceiver<Data = unknown, Transaction = undefined>(
  options: WebhookReceiverOptions<Data, Transaction>,
): (request: ReceiverRequest, response: ReceiverResponse) => Promise<void> {
  const { handled, onEvent, onError = console.error, maxBodyBytes = 1_048_576, now = Date.now } = options;
  checkVerificationOptions(options);
  if (typeof handled?.once !== 'function')
    throw new TypeError('handled must have a function once(key, work)');
  if (typeof onEvent !== 'function') throw new TypeError('onEvent must be a function');

  return async (request, response) => {
    const body = await readRawBody(request, maxBodyBytes);
    if (typeof body === 'string') return answer(response, bodyFailures[body][0], body, bodyFailures[body][1]);
    try {
      const verified = verifyWebhook<Data>({ ...options, headers: request.headers, body, now: now() });
      if (!verified.ok) return answer(response, 400, verified.reason, verified.message);
      const { event, key, deliveryId } = verified;
      const ran = await handled.once(key, async (transaction) => {
        await onEvent(event, { key, deliveryId, transaction });
      });
      if (ran) answer(response, 200, 'ok', 'handled');
      else answer(response, 200, 'duplicate', 'was handled before');
    } catch (error) {
      // Answered first: an `onError` that throws must not leave the sender waiting.
      answer(response, 500, 'handler_failed', 'the event could not be handled; send it again');
      onError(error);
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
