import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { generateSigningSecret, signBody, standardSignature } from '@rewardhook/webhook';

/** The secret of all receivers here. */
export const secret = generateSigningSecret();

type Event = { id: string; type: string; test?: boolean; mode?: string; data: { reward?: { id: string } } };

/** The parts of a receiver. Those of `correct` are right; a wrong receiver replaces some of them. */
export type Parts = {
  /** Whether the request is genuine. It may throw. */
  verify: (headers: Record<string, string>, body: Buffer) => boolean;
  /** Reads the body; undefined answers 413. */
  read: (request: IncomingMessage) => Promise<Buffer | undefined>;
  /** The key under which an event is handled once. */
  keyOf: (event: Event, headers: Record<string, string>) => string;
  /** Waits between looking up the key and storing it. */
  beforeStoring: () => Promise<void>;
  /** Grants what was stored; the answer waits for it. */
  work: (apply: () => void) => void | Promise<void>;
  /** The status of a duplicate. */
  duplicate: number;
  /** Whether events that are marked as tests are granted. */
  grantsTests: boolean;
  /** Whether events of the test side are granted. */
  grantsTestSide: boolean;
  /** The status for an event, before it is handled; undefined handles it. */
  refuse: (event: Event, handled: ReadonlySet<string>) => number | undefined;
  /** Called with every event, also with refused ones. */
  beforeVerifying: (body: Buffer, grant: (event: Event) => void) => void;
  /** Answers instead of all that, when it returns true. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
};

const timestampOf = (headers: Record<string, string>): number => Number(headers['webhook-timestamp']);
const isRecent = (headers: Record<string, string>): boolean =>
  Math.abs(Date.now() / 1000 - timestampOf(headers)) <= 300;

/** Whether one of the signatures is that of the body. */
export function hasStandardSignature(headers: Record<string, string>, body: Buffer, first = false): boolean {
  const timestampSeconds = timestampOf(headers);
  const id = headers['webhook-id'];
  if (id === undefined || Number.isNaN(timestampSeconds)) return false;
  const expected = standardSignature({ id, timestampSeconds, body, secrets: [secret] });
  const given = (headers['webhook-signature'] ?? '').split(' ');
  return (first ? given.slice(0, 1) : given).includes(expected);
}

export const hasContractSignature = (headers: Record<string, string>, body: Buffer): boolean =>
  headers['x-service-signature'] === signBody(secret, body);

export const verifyStandard: Parts['verify'] = (headers, body) =>
  isRecent(headers) && hasStandardSignature(headers, body);

const correct: Parts = {
  verify: verifyStandard,
  read: async (request) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  keyOf: ({ type, data, id }) => `${type} ${data.reward?.id ?? id}`,
  beforeStoring: async () => undefined,
  work: (apply) => apply(),
  duplicate: 204,
  grantsTests: false,
  grantsTestSide: false,
  refuse: () => undefined,
  beforeVerifying: () => undefined,
  answer: () => false,
};

/** A receiver on 127.0.0.1 whose grants can be counted at `grantsUrl`. */
export type RunningReceiver = { url: string; grantsUrl: string; close: () => Promise<void> };

/** Starts a correct receiver with some of its parts replaced. */
export async function startReceiver(wrong: Partial<Parts> = {}): Promise<RunningReceiver> {
  const parts = { ...correct, ...wrong };
  const handled = new Set<string>();
  const grants = new Map<string, number>();
  const apply = ({ type, data, test, mode }: Event): void => {
    if (!data.reward || (test && !parts.grantsTests) || (mode === 'test' && !parts.grantsTestSide)) return;
    const change = type === 'reward.issue' ? 1 : type === 'reward.revoke' ? -1 : 0;
    grants.set(data.reward.id, (grants.get(data.reward.id) ?? 0) + change);
  };
  const handle = async (request: IncomingMessage): Promise<number> => {
    const body = await parts.read(request);
    if (!body) return 413;
    const headers = request.headers as Record<string, string>;
    parts.beforeVerifying(body, apply);
    if (!parts.verify(headers, body)) return 400;
    const event = JSON.parse(body.toString()) as Event;
    const refused = parts.refuse(event, handled);
    if (refused !== undefined) return refused;
    const key = parts.keyOf(event, headers);
    if (handled.has(key)) return parts.duplicate;
    await parts.beforeStoring();
    handled.add(key);
    await parts.work(() => apply(event));
    return 204;
  };
  const server = createHttpServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver');
    if (url.pathname === '/grants') {
      return void response.end(
        JSON.stringify({ grants: grants.get(url.searchParams.get('reward_id') ?? '') ?? 0 }),
      );
    }
    if (await parts.answer(request, response)) return;
    const status = await handle(request).catch(() => 500);
    response.writeHead(status).end(status === 400 ? 'not verified' : '');
  });
  return listening(server, () => server.closeAllConnections());
}

/** A receiver that answers an unsigned request without reading its body, and takes the rest for the next request. */
export async function startReceiverThatLeavesBodies(): Promise<RunningReceiver> {
  const open = new Set<{ destroy: () => void }>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = received.subarray(0, end).toString();
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const body = received.subarray(end + 4, end + 4 + length);
        if (!head.startsWith('POST '))
          return void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
        if (!/webhook-signature/i.test(head)) {
          received = received.subarray(end + 4);
          socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
          continue;
        }
        if (body.length < length) return;
        received = received.subarray(end + 4 + length);
        const headers = Object.fromEntries(
          head.split('\r\n').map((line) => {
            const colon = line.indexOf(': ');
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
          }),
        );
        const status = verifyStandard(headers, body) ? '204 No Content' : '400 Bad Request';
        socket.write(`HTTP/1.1 ${status}\r\n${status.startsWith('204') ? '' : 'Content-Length: 0\r\n'}\r\n`);
      }
    });
  });
  return listening(server, () => open.forEach((socket) => socket.destroy()));
}

async function listening(server: Server, end: () => void): Promise<RunningReceiver> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/webhooks`,
    grantsUrl: `${origin}/grants`,
    close: async () => {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads only what has arrived at first. */
export const readFirstChunk: Parts['read'] = async (request) => {
  for await (const chunk of request) {
    request.resume();
    return chunk as Buffer;
  }
  return undefined;
};

/** Refuses bodies of more than 10 kB. */
export const readSmall: Parts['read'] = async (request) => {
  const body = (await correct.read(request)) as Buffer;
  return body.length > 10_000 ? undefined : body;
};

export { wait };
