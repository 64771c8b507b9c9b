import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import type { ReceivedEntry } from '../ledger/entries.ts';
import type { Ledger } from '../ledger/open-ledger.ts';

/** A request that a receiver got and has not answered yet. */
export interface Incoming {
  at: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** `reward.issue`, … */
  event: string;
  deliveryId: string;
  /** 1 for the first request of the delivery, and one more for each later one. */
  attempt: number;
  response: ServerResponse;
  /** Writes bytes that Node would not write, and closes the connection after them. `status`: what they answer, if they do. */
  raw(bytes: string, status?: number): void;
}

/** Answers a request; it may do so later, or destroy its connection. */
export type Respond = (incoming: Incoming) => void | Promise<void>;

/** Answers 204. */
export const succeed: Respond = ({ response }) => void response.writeHead(204).end();

/** The server of a shop behind one URL. */
export interface Receiver {
  url: string;
  /** How it answers from now on; at first with 204. */
  respond(by: Respond): void;
  /** How many requests it has got. */
  count(): number;
  /** Ids of the deliveries that it has answered with 2xx. */
  accepted: ReadonlySet<string>;
  /** How many requests went to another path. They are answered 404, and are not in the ledger. */
  countElsewhere(): number;
  /** Resolves with the next request, before it is answered. @throws when none comes within a minute */
  next(): Promise<Incoming>;
  close(): Promise<void>;
}

const path = '/rewards';

/** How long the next request is waited for, in milliseconds. */
const nextWithinMs = 60_000;

/** Starts a receiver on 127.0.0.1. Each request is in the ledger once its connection is done with it. */
export async function startReceiver(
  ledger: Ledger,
  shop: string,
  webhookOf: () => string,
): Promise<Receiver> {
  let respond = succeed;
  let count = 0;
  let countElsewhere = 0;
  const accepted = new Set<string>();
  const attempts = new Map<string, number>();
  const waiting: ((incoming: Incoming) => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url === path) return void answer(request, response);
    countElsewhere += 1;
    response.writeHead(404).end();
  });
  // A worker keeps its connections; a receiver that closed an idle one at the same moment would look like a failing one.
  server.keepAliveTimeout = 120_000;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = now();
    count += 1;
    let body: Buffer = Buffer.alloc(0);
    let rawStatus: number | undefined;
    // It was answered if its status line was sent, even if the body was cut off on purpose.
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : rawStatus;
      if (status !== undefined && status >= 200 && status < 300)
        accepted.add(String(request.headers['x-service-delivery']));
      ledger.write({
        kind: 'received',
        at,
        shop,
        webhook: webhookOf(),
        headers: request.headers as Record<string, string>,
        body: body.toString('base64'),
        ...(status === undefined ? { closedAt: now() } : { answeredAt: now(), status }),
      } satisfies ReceivedEntry);
    });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      body = Buffer.concat(chunks);
      const header = (name: string) => String(request.headers[name] ?? '');
      const deliveryId = header('x-service-delivery');
      const attempt = (attempts.get(deliveryId) ?? 0) + 1;
      attempts.set(deliveryId, attempt);
      const incoming: Incoming = {
        at,
        headers: request.headers,
        body,
        response,
        event: header('x-service-event'),
        deliveryId,
        attempt,
        raw(bytes, status) {
          rawStatus = status;
          request.socket.write(bytes);
          request.socket.destroySoon();
        },
      };
      for (const one of waiting.splice(0)) one(incoming);
      await respond(incoming);
    } catch {
      // The worker was killed, or has stopped waiting.
      response.destroy();
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    respond: (by) => void (respond = by),
    count: () => count,
    countElsewhere: () => countElsewhere,
    accepted,
    next: () =>
      inBackground(
        new Promise((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`no request arrived at ${shop} within ${nextWithinMs / 1_000} s`)),
            nextWithinMs,
          ).unref();
          waiting.push((incoming) => {
            clearTimeout(timer);
            resolve(incoming);
          });
        }),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
