import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { openDrain } from './drain-connections.ts';
import type { Drain } from './drain-connections.ts';

/** A client connection, and all that it has received. */
interface Client {
  socket: Socket;
  received(): string;
  /** Resolves at the end that the server sends, and rejects at a reset. */
  ended: Promise<unknown>;
}

describe('openDrain', () => {
  let drain: Drain;
  let port: number;
  let handled: string[];
  let clients: Client[];
  /** Answers the requests whose path begins with `/held`, oldest first. */
  let held: (() => void)[];

  beforeEach(async () => {
    handled = [];
    held = [];
    clients = [];
    const app = (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      request.resume().once('end', () => {
        handled.push(path);
        const answer = () => response.end(`answer to ${path}`);
        if (path.startsWith('/held')) held.push(answer);
        else answer();
      });
    };
    const server = createServer();
    drain = openDrain(server, app, { stalledMs: 100, limitMs: 1_000 });
    server.on('request', drain.handle);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy();
    await drain.end();
  });

  async function open(): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = once(socket, 'end');
    ended.catch(() => undefined);
    await once(socket, 'connect');
    const client = { socket, received: () => text, ended };
    clients.push(client);
    return client;
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: api\r\n\r\n`;
  const post = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: api\r\nContent-Length: ${length}\r\n\r\n`;
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('A request in flight is answered with Connection: close', async () => {
    const client = await open();
    client.socket.write(get('/held'));
    await until(() => held.length === 1);
    const ended = drain.end();
    held[0]?.();
    await client.ended;
    expect(client.received()).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*[Cc]onnection: close\r\n[^]*answer to \/held$/,
    );
    await ended;
  });

  it('A request on an idle connection is answered with Connection: close until the server stops listening', async () => {
    const client = await open();
    client.socket.write(get('/first'));
    await until(() => client.received().endsWith('answer to /first'));
    expect(client.received()).toContain('Connection: keep-alive');
    drain.begin();
    client.socket.write(get('/second'));
    await client.ended;
    expect(client.received()).toMatch(/[Cc]onnection: close\r\n[^]*answer to \/second$/);
    const late = await open();
    late.socket.write(get('/late'));
    await late.ended;
    expect(late.received()).toMatch(/[Cc]onnection: close\r\n[^]*answer to \/late$/);
  });

  it('Idle connections end without a reset, also those that have never sent a byte', async () => {
    const [silent, idle] = [await open(), await open()];
    idle.socket.write(get('/first'));
    await until(() => idle.received().endsWith('answer to /first'));
    await drain.end();
    await Promise.all([silent.ended, idle.ended]);
    expect(silent.received()).toBe('');
  });

  it('A request that follows an answer with Connection: close is not handled', async () => {
    const client = await open();
    drain.begin();
    client.socket.write(get('/first'));
    await client.ended;
    client.socket.write(get('/second'));
    client.socket.end();
    await once(client.socket, 'close');
    expect(handled).toEqual(['/first']);
    expect(client.received()).toMatch(/answer to \/first$/);
  });

  it('A body that stalls is answered with 503, and what arrives of it later has no effect', async () => {
    const client = await open();
    client.socket.write(`${post('/stalled', 10)}half`);
    await until(() => client.socket.bytesWritten > 10);
    const ended = drain.end();
    await until(() => client.received().includes('503'));
    client.socket.write('the rest');
    await client.ended;
    await ended;
    expect(client.received()).toMatch(
      /^HTTP\/1\.1 503 [^]*connection: close\r\n[^]*"code":"service_unavailable"/,
    );
    expect(handled).toEqual([]);
  });

  it('A body that arrives slowly is answered when it is complete', async () => {
    const client = await open();
    client.socket.write(post('/slow', 8));
    const ended = drain.end();
    for (let sent = 0; sent < 8; sent += 1) {
      client.socket.write('x');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await client.ended;
    await ended;
    expect(client.received()).toMatch(/[Cc]onnection: close\r\n[^]*answer to \/slow$/);
  });

  it('Incomplete headers do not delay the end for longer than a stalled body', async () => {
    const client = await open();
    client.socket.write('GET /never HTTP/1.1\r\nHo');
    await until(() => client.socket.bytesWritten > 10);
    await drain.end();
    await client.ended;
    expect(handled).toEqual([]);
  });
});
