import type { EventOf, EventType, WebhookEvent } from './events.ts';
import type { HandledEvents } from './handled-events.ts';
import { checkVerificationOptions, defaultMaxBodyBytes } from './verify-input.ts';
import type {
  VerificationFailure,
  VerificationOptions,
  WebhookHeaders,
  WebhookVerification,
  WebhookVerificationInput,
} from './verify-input.ts';

/** What `onEvent` receives besides the event. */
export type EventContext<Transaction> = {
  /** The key that the event is remembered by, see `idempotencyKeyOf`. */
  key: string;
  /** For your log: each URL and each replay may have another one. */
  deliveryId: string;
  /** What `handled` passes to take part in its transaction. */
  transaction: Transaction;
};

/** Does the work of an event. */
export type OnEvent<Event, Transaction> = (event: Event, context: EventContext<Transaction>) => unknown;

/** A function for each event type that the receiver handles. */
export type EventHandlers<Transaction = undefined> = {
  [Type in EventType]?: OnEvent<EventOf<Type>, Transaction>;
};

/** How to verify, what to do with an event, and where to remember it. */
export type WebhookReceiverOptions<Transaction = undefined> = VerificationOptions & {
  /** Remembers handled events: your database, or `handledInMemory` for trying out. */
  handled: HandledEvents<Transaction>;
  /**
   * Runs once for each event, test events and (unless `acceptTestSide`) events of the test side excluded. When it throws, the
   * event is not remembered and is delivered again later. Or a function for each event type that you handle: others are
   * answered with `"ignored": true` and not remembered.
   */
  onEvent: OnEvent<WebhookEvent, Transaction> | EventHandlers<Transaction>;
  /** Runs for each test event, and each event of the test side that counts as one: grant nothing. Default: nothing. */
  onTestEvent?: (event: WebhookEvent) => unknown;
  /** Called with the errors of your functions; default `console.error`. */
  onError?: (error: unknown) => void;
  /** The receiver's clock in ms. */
  now?: () => number;
};

/** The options as they are: for a file that several receivers import, where an editor and TypeScript then know their types. */
export function receiverOptions<Transaction = undefined>(
  options: WebhookReceiverOptions<Transaction>,
): WebhookReceiverOptions<Transaction> {
  return options;
}

/** Why there are no raw bytes, with a sentence for the merchant's developer. */
const bodyFailures = {
  body_not_raw:
    'the body was parsed before the receiver read it, and rawBody has no bytes: mount it before express.json(), set rawBody ' +
    'to true in Nest, or set bodyParser to false in Next',
  body_too_large: 'the body is larger than a webhook',
  body_incomplete: 'the body is incomplete',
} as const;

/** One of the reasons why there are no raw bytes. */
export type BodyFailure = keyof typeof bodyFailures;

/** The values of `code` in the receiver's answers. */
export type ReceiverCode =
  VerificationFailure | BodyFailure | 'ok' | 'duplicate' | 'test_event' | 'ignored' | 'handler_failed';

/** An answer of the receiver: a status, and JSON with the rest. `ignored`: no function handles the type of the event. */
export type ReceiverAnswer = { status: number; code: ReceiverCode; message: string; ignored?: true };

/** Handles one request, and calls `answer` once. */
export type Receive = (
  headers: WebhookHeaders,
  body: Uint8Array | BodyFailure,
  answer: (answer: ReceiverAnswer) => void,
) => Promise<void>;

/**
 * Opens the receiver that all frameworks share. It answers 400 and the reason when the request is not verified, 200 when
 * `onEvent` has completed, 200 without calling it for an event that was handled before (in any delivery and at any URL) and
 * for a test event, 200 with `"ignored": true` for a type that nothing handles, and 500 when `onEvent` throws.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function openReceiver<Transaction>(
  options: WebhookReceiverOptions<Transaction>,
  verify: (input: WebhookVerificationInput) => WebhookVerification | Promise<WebhookVerification>,
): Receive {
  const { handled, onEvent, onTestEvent, onError = console.error, now = Date.now } = options;
  checkVerificationOptions(options);
  if (typeof handled?.once !== 'function')
    throw new TypeError('handled must have a function once(key, work)');
  const handlerOf = handlersOf(onEvent);

  const receive = async (headers: WebhookHeaders, body: Uint8Array): Promise<ReceiverAnswer> => {
    const verified = await verify({ ...options, headers, body, now: now() });
    if (!verified.ok) return { status: 400, code: verified.reason, message: verified.message };
    const { event, key, deliveryId } = verified;
    if (verified.isTest) {
      await onTestEvent?.(event);
      return {
        status: 200,
        code: 'test_event',
        message: 'a test event, or one of the test side: nothing is granted',
      };
    }
    const handle = handlerOf(event);
    if (!handle) {
      return { status: 200, code: 'ignored', message: 'this type of event is not handled', ignored: true };
    }
    const ran = await handled.once(key, async (transaction) => {
      await handle(event, { key, deliveryId, transaction });
    });
    return ran
      ? { status: 200, code: 'ok', message: 'handled' }
      : { status: 200, code: 'duplicate', message: 'handled before' };
  };
  return async (headers, body, answer) => {
    if (typeof body === 'string') return answer(answerTo(body));
    let result: ReceiverAnswer;
    try {
      result = await receive(headers, body);
    } catch (error) {
      // Answered first: an `onError` that throws must not keep the sender waiting.
      answer({
        status: 500,
        code: 'handler_failed',
        message: 'the event could not be handled; send it again',
      });
      return onError(error);
    }
    answer(result.code === 'body_too_large' ? answerTo(result.code) : result);
  };
}

/** The function that handles an event, or undefined. */
function handlersOf<Transaction>(
  onEvent: WebhookReceiverOptions<Transaction>['onEvent'],
): (event: WebhookEvent) => OnEvent<WebhookEvent, Transaction> | undefined {
  if (typeof onEvent === 'function') return () => onEvent;
  const handlers = Object.entries(onEvent ?? {});
  if (handlers.length === 0 || handlers.some(([, handler]) => typeof handler !== 'function'))
    throw new TypeError('onEvent must be a function, or an object with a function for each event type');
  const handlerOf = new Map(handlers as [string, OnEvent<WebhookEvent, Transaction>][]);
  return ({ type }) => handlerOf.get(type);
}

function answerTo(code: BodyFailure): ReceiverAnswer {
  const status = { body_not_raw: 500, body_too_large: 413, body_incomplete: 400 }[code];
  return { status, code, message: bodyFailures[code] };
}

/** The maximum size of a body that a receiver reads. */
export function maxBodyBytesOf({ maxBodyBytes = defaultMaxBodyBytes }: VerificationOptions): number {
  return maxBodyBytes;
}

/** Reads chunks up to a size. The rest is not read, and the source is left open, so that it can be answered. */
export async function readChunks(
  chunks: AsyncIterator<unknown>,
  maxBytes: number,
): Promise<Uint8Array | BodyFailure> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      if (!(next.value instanceof Uint8Array)) return 'body_not_raw';
      length += next.value.length;
      if (length > maxBytes) return 'body_too_large';
      read.push(next.value);
    }
  } catch {
    return 'body_incomplete';
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of read) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
