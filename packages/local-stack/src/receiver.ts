import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  receivedAt: Date;
}

export interface ReceiverOptions {
  signingSecret?: string | undefined;
  /** Returns the status of the response; default 204. */
  respond?: (webhook: ReceivedWebhook) => number | Promise<number>;
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
  /** Resolves with the first webhook that matches, including those already received. */
  waitFor(matches: (webhook: ReceivedWebhook) => boolean, deadlineMs?: number): Promise<ReceivedWebhook>;
  close(): Promise<void>;
}

/** Starts a receiver that stores its requests and verifies their signatures as the contract requires of merchants. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { respond = () => 204 } = options;
  const received: ReceivedWebhook[] = [];
  const listeners: ((webhook: ReceivedWebhook) => void)[] = [];
  let secret = options.signingSecret;
  const server = createServer((request, response) => {
    const answer = async () => {
      const webhook = await readWebhook(request, secret);
      received.push(webhook);
      for (const listener of listeners) listener(webhook);
      response.writeHead(await respond(webhook)).end();
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
    onReceived: (listener) => void listeners.push(listener),
    waitFor: (matches, deadlineMs = 10_000) =>
      waitFor(() => received.find(matches), { deadlineMs, everyMs: 10, what: 'the webhook' }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readWebhook(request: IncomingMessage, secret: string | undefined): Promise<ReceivedWebhook> {
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
    receivedAt: new Date(),
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
