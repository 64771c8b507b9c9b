import { maxBodyBytesOf, openReceiver, readChunks } from './receiver.ts';
import type { BodyFailure, WebhookReceiverOptions } from './receiver.ts';
import type { WebhookHeaders, WebhookVerification, WebhookVerificationInput } from './verify-input.ts';

/** A request of `node:http`, or of what is built on it: Express, Nest, Next, Cloud Functions, serverless-http. */
export type ReceiverRequest = AsyncIterable<unknown> & {
  headers: WebhookHeaders;
  /** Every value of a header that was sent more than once; `headers` joins them. Empty where no socket was read. */
  headersDistinct?: WebhookHeaders;
  body?: unknown;
  /** The bytes, where a platform or a parser keeps them. */
  rawBody?: unknown;
  /** Whether the stream has been read from, as streams of Node say. */
  readableDidRead?: boolean;
};

/** A response of `node:http`, Express or Next. */
export type ReceiverResponse = {
  statusCode: number;
  setHeader: (name: string, value: string) => unknown;
  end: (text: string) => unknown;
};

/** A handler for `node:http`, Express and the pages of Next. */
export type NodeReceiver = (request: ReceiverRequest, response: ReceiverResponse) => Promise<void>;

/** Creates a handler that verifies with the given function. */
export function nodeReceiver<Transaction>(
  options: WebhookReceiverOptions<Transaction>,
  verify: (input: WebhookVerificationInput) => WebhookVerification | Promise<WebhookVerification>,
): NodeReceiver {
  const receive = openReceiver(options, verify);
  return async (request, response) => {
    const body = await readRawBody(request, maxBodyBytesOf(options));
    await receive(receivedHeaders(request), body, ({ status, ...answer }) => {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      // Bytes that were not read would be parsed as the next request on this connection.
      if (status === 413) response.setHeader('connection', 'close');
      response.end(JSON.stringify(answer));
    });
  };
}

/**
 * Each header with all its values where `headersDistinct` has it. `headers` has the others: serverless-http sets no other
 * property.
 */
export function receivedHeaders({
  headers,
  headersDistinct,
}: Pick<ReceiverRequest, 'headers' | 'headersDistinct'>): WebhookHeaders {
  if (!headersDistinct || typeof headersDistinct.get === 'function' || typeof headers.get === 'function')
    return headersDistinct ?? headers;
  const joined = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...Object.fromEntries(joined), ...headersDistinct };
}

/**
 * The raw bytes of a request: the `rawBody` that a platform or a parser keeps, the `body` that `express.raw()` has read, or
 * else the stream itself if nobody has read it. A parsed body cannot be used: JSON that is serialized again has other bytes.
 */
async function readRawBody(request: ReceiverRequest, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  const { rawBody, body } = request;
  if (rawBody instanceof Uint8Array) return rawBody;
  if (body instanceof Uint8Array) return body;
  // A stream of another kind does not say whether it was read.
  const wasRead = request.readableDidRead ?? (body !== undefined && body !== null);
  if (wasRead || typeof request[Symbol.asyncIterator] !== 'function') return 'body_not_raw';
  // Without `for await`, since leaving such a loop would destroy the connection before it can be answered.
  return readChunks(request[Symbol.asyncIterator](), maxBytes);
}
