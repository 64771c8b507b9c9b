import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { waitFor } from './wait-for.ts';

/** One request to the receiver. */
export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes of the body. */
  rawBody: Buffer;
  /** `X-Service-Event`, for example `reward.issue`. */
  event: string | undefined;
  /** `X-Service-Delivery`. */
  deliveryId: string | undefined;
  /** Whether the signature is valid for the signing secret; undefined when the receiver has no secret. */
  verified: boolean | undefined;
  /** When its headers arrived. */
  receivedAt: Date;
  /** The status that was sent, and when all of the response was. Undefined until then, and when the sender gave up before. */
  answered?: { status: number; at: Date };
  /** When the exchange ended: the response was sent, or the connection was closed. Undefined while the request is in flight. */
  endedAt?: Date;
}

/** A response of the receiver. A body that is given in pieces is sent in chunks, as they come. */
export interface ReceiverAnswer {
  status: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

type Answer = number | ReceiverAnswer;

export interface ReceiverOptions {
  signingSecret?: string | undefined;
  /** Returns the response, or its status alone; default 204. The connection is closed without one when it throws. */
  respond?: (webhook: ReceivedWebhook) => Answer | Promise<Answer>;
  port?: number;
}

/** A merchant's webhook receiver on 127.0.0.1. */
export interface Receiver {
  url: string;
  /** All requests so far, oldest first. */
  received: ReceivedWebhook[];
  /** Verifies later requests with this secret. */
  setSigningSecret(secret: string): void;
  /** Calls the listener for each later webhook. */
  onReceived(listener: (webhook: ReceivedWebhook) => void): void;
  /** Calls the listener for each later webhook whose exchange has ended: `endedAt` is set. */
  onEnded(listener: (webhook: ReceivedWebhook) => void): void;
  /** Resolves with the first webhook that matches, including those already received. */
  waitFor(matches: (webhook: ReceivedWebhook) => boolean, deadlineMs?: number): Promise<ReceivedWebhook>;
  close(): Promise<void>;
}

/** Starts a receiver that stores its requests and verifies their signatures as the contract requires of merchants. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { respond = () => 204 } = options;
  const received: ReceivedWebhook[] = [];
  const receivedListeners: ((webhook: ReceivedWebhook) => void)[] = [];
  const endedListeners: ((webhook: ReceivedWebhook) => void)[] = [];
  let secret = options.signingSecret;
  const server = createServer((request, response) => {
    const answer = async () => {
      const webhook = await readWebhook(request, secret);
      received.push(webhook);
      response.once('finish', () => {
        webhook.answered = { status: response.statusCode, at: new Date() };
      });
      response.once('close', () => {
        webhook.endedAt = new Date();
        for (const listener of endedListeners) listener(webhook);
      });
      for (const listener of receivedListeners) listener(webhook);
      await send(response, await respond(webhook));
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    setSigningSecret: (value) => void (secret = value),
    onReceived: (listener) => void receivedListeners.push(listener),
    onEnded: (listener) => void endedListeners.push(listener),
    waitFor: (matches, deadlineMs = 10_000) =>
      waitFor(() => received.find(matches), { deadlineMs, everyMs: 10, what: 'the webhook' }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body }: ReceiverAnswer = typeof answer === 'number' ? { status: answer } : answer;
  response.writeHead(status, headers);
  if (typeof body === 'object' && Symbol.asyncIterator in body) await pipeline(body, response);
  else response.end(body);
}

async function readWebhook(request: IncomingMessage, secret: string | undefined): Promise<ReceivedWebhook> {
  const receivedAt = new Date();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks);
  const header = (name: string) => request.headers[name] as string | undefined;
  return {
    path: request.url ?? '/',
    headers: request.headers,
    rawBody,
    event: header('x-service-event'),
    deliveryId: header('x-service-delivery'),
    verified:
      secret === undefined ? undefined : hasValidSignature(rawBody, secret, header('x-service-signature')),
    receivedAt,
  };
}

/**
 * Verifies `X-Service-Signature` (docs/webhooks.md): `sha256=` and the lowercase hex HMAC-SHA256 of the raw bytes, compared
 * in constant time. It does not use @rewardhook/verify, because the tests of that package rely on it.
 */
export function hasValidSignature(rawBody: Buffer, secret: string, header: string | undefined): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
