import { maxBodyBytesOf, openReceiver, readChunks } from './receiver.ts';
import type { BodyFailure, WebhookReceiverOptions } from './receiver.ts';
import type { WebhookHeaders, WebhookVerification, WebhookVerificationInput } from './verify-input.ts';

/** A request of `node:http`, Express or Next. */
export type ReceiverRequest = AsyncIterable<unknown> & {
  headers: WebhookHeaders;
  /** Every value of a header that was sent more than once; `headers` joins them. */
  headersDistinct?: WebhookHeaders;
  body?: unknown;
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
    await receive(request.headersDistinct ?? request.headers, body, ({ status, ...answer }) => {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      // Bytes that were not read would be parsed as the next request on this connection.
      if (status === 413) response.setHeader('connection', 'close');
      response.end(JSON.stringify(answer));
    });
  };
}

/**
 * The raw bytes of a request: the `body` that `express.raw()` has read, or else the stream itself. A parsed body cannot be
 * used: JSON that is serialized again has other bytes.
 */
async function readRawBody(request: ReceiverRequest, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  if (request.body instanceof Uint8Array) return request.body;
  if (request.body !== undefined && request.body !== null) return 'body_not_raw';
  // Without `for await`, since leaving such a loop would destroy the connection before it can be answered.
  return readChunks(request[Symbol.asyncIterator](), maxBytes);
}
