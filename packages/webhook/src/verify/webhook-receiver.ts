import type { HandledEvents } from './handled-events.ts';
import { checkVerificationOptions, verifyWebhook } from './verify-webhook.ts';
import type { VerificationFailure, WebhookHeaders, WebhookVerificationInput } from './verify-webhook.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** A request of `node:http` or Express. */
export type ReceiverRequest = AsyncIterable<unknown> & { headers: WebhookHeaders; body?: unknown };

/** A response of `node:http` or Express. */
export type ReceiverResponse = {
  statusCode: number;
  setHeader: (name: string, value: string) => unknown;
  end: (text: string) => unknown;
};

/** What `onEvent` receives besides the event. */
export type EventContext<Transaction> = {
  /** The key that the event is remembered by, see {@link idempotencyKeyOf}. */
  key: string;
  /** For your log: each URL and each replay may have another one. */
  deliveryId: string;
  /** What `handled` passes to take part in its transaction. */
  transaction: Transaction;
};

/** How to verify, what to do with an event, and where to remember it. */
export type WebhookReceiverOptions<Data, Transaction = undefined> = Pick<
  WebhookVerificationInput,
  'secrets' | 'toleranceSeconds' | 'requireTimestamp'
> & {
  /** Remembers handled events: your database, or {@link handledInMemory} for trying out. */
  handled: HandledEvents<Transaction>;
  /** Runs once for each event. When it throws, the event is not remembered and is delivered again later. */
  onEvent: (event: WebhookEvent<Data>, context: EventContext<Transaction>) => unknown;
  /** Called with the errors of `onEvent` and `handled`; default `console.error`. */
  onError?: (error: unknown) => void;
  /** Default 1 MiB. */
  maxBodyBytes?: number;
  /** The receiver's clock in ms. */
  now?: () => number;
};

/** Why there are no raw bytes, each with its status and a sentence for the merchant's developer. */
const bodyFailures = {
  body_not_raw: [500, 'the body was parsed before the receiver read it: mount it before express.json()'],
  body_too_large: [413, 'the body is larger than a webhook'],
  body_incomplete: [400, 'the body is incomplete'],
} as const;

type BodyFailure = keyof typeof bodyFailures;

/** The values of `code` in the receiver's answers, besides `ok`. */
export type ReceiverCode = VerificationFailure | BodyFailure | 'duplicate' | 'handler_failed';

/**
 * Creates a handler for `node:http`, or for `app.post('/webhooks', webhookReceiver({ … }))` of Express. It needs the raw
 * bytes: mount it before `express.json()`, or behind `express.raw({ type: '*\/*' })`.
 *
 * Answers 400 and the reason when the request is not verified, 200 when `onEvent` has completed, 200 without calling it for
 * an event that was handled before (in any delivery and at any URL), and 500 when it throws.
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
      else answer(response, 200, 'duplicate', 'handled before');
    } catch (error) {
      // Answered first: an `onError` that throws must not keep the sender waiting.
      answer(response, 500, 'handler_failed', 'the event could not be handled; send it again');
      onError(error);
    }
  };
}

/**
 * The raw bytes of a request: the `body` that `express.raw()` has read, or else the stream itself. A parsed body cannot be
 * used: JSON that is serialized again has other bytes.
 */
async function readRawBody(request: ReceiverRequest, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  if (request.body instanceof Uint8Array) {
    return request.body.length > maxBytes ? 'body_too_large' : request.body;
  }
  if (request.body !== undefined) return 'body_not_raw';
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Without `for await`, since leaving such a loop would destroy the connection before it can be answered.
  const stream = request[Symbol.asyncIterator]();
  try {
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      if (!(next.value instanceof Uint8Array)) return 'body_not_raw';
      length += next.value.length;
      if (length > maxBytes) return 'body_too_large';
      chunks.push(next.value);
    }
  } catch {
    return 'body_incomplete';
  }
  return Buffer.concat(chunks);
}

function answer(
  response: ReceiverResponse,
  status: number,
  code: ReceiverCode | 'ok',
  message: string,
): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  // Bytes that were not read would be parsed as the next request on this connection.
  if (status === 413) response.setHeader('connection', 'close');
  response.end(JSON.stringify({ code, message }));
}
