import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { scaled, waitFor } from '@rewardhook/testing';
import { guardConnections } from './guard-connections.ts';
import type { GuardedConnections } from './guard-connections.ts';
import { openMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';

const briefMs = 600;
/** More than the kernel holds for a connection of this machine. */
const largeBytes = 24 * 1_024 * 1_024;

describe('guardConnections', () => {
  let server: Server;
  let connections: GuardedConnections;
  let metrics: Metrics;
  let lines: object[];
  let clients: Socket[];
  /** The paths of the requests that were handled. */
  let handled: string[];
  /** Answers the requests for `/held`. */
  let held: (() => void)[];

  async function start(maxBytes: number, stalledMs = briefMs): Promise<void> {
    [lines, clients, handled, held] = [[], [], [], []];
    metrics = openMetrics();
    server = createServer();
    connections = guardConnections(
      server,
      ({ url = '', socket }, response) => {
        handled.push(url);
        if (url === '/held') held.push(() => response.end('answer'));
        else if (url === '/large') response.end(Buffer.alloc(largeBytes));
        else if (url === '/refused') socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        else response.end('answer');
      },
      { log: { info: (message, fields) => void lines.push({ message, ...fields }) }, metrics },
      { stalledMs, maxBytes },
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  }
  /** The reasons for which connections were closed because of their answers, with their number. */
  async function ended(): Promise<[unknown, number][]> {
    const metric = await metrics.registry.getSingleMetric('rewardhook_unread_answers_ended_total')?.get();
    return (metric?.values ?? []).map(({ labels, value }) => [labels['reason'], value]);
  }
  async function dropped(): Promise<number> {
    const metric = await metrics.registry.getSingleMetric('rewardhook_requests_dropped_total')?.get();
    return metric?.values[0]?.value ?? 0;
  }
  const hasEnded = async () => (await ended()).length > 0;
  afterEach(() => {
    for (const socket of clients) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Sends requests for the paths in one packet, and reads nothing. */
  function ask(...paths: string[]): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: api\r\n\r\n`).join(''));
    clients.push(socket);
    return socket;
  }

  it('An answer of which the client reads nothing ends', async () => {
    await start(Infinity);
    ask('/large');
    await waitFor(() => connections.unreadBytes() > 0);
    await waitFor(hasEnded);
    expect([await ended(), connections.unreadBytes()]).toEqual([[['no_progress', 1]], 0]);
  });

  it('An answer that is read slowly arrives completely, however long it takes', async () => {
    // Most of the limit is left for a pause of the machine.
    const [stalledMs, pauseMs] = [scaled(3_000), scaled(600)];
    await start(Infinity, stalledMs);
    const startedAt = performance.now();
    const socket = ask('/large');
    let pauseAt = 0;
    socket.on('data', () => {
      if (socket.bytesRead >= pauseAt) socket.pause();
    });
    while (pauseAt < largeBytes) {
      pauseAt += 4_000_000;
      socket.resume();
      await waitFor(() => socket.bytesRead >= Math.min(pauseAt, largeBytes));
      await setTimeout(pauseMs);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(stalledMs);
    expect(await ended()).toEqual([]);
  });

  it('An answer also ends while the client goes on sending', async () => {
    await start(Infinity);
    const socket = ask('/large');
    socket.write('GET /next HTTP/1.1\r\n');
    await waitFor(async () => {
      socket.write('a: b\r\n');
      return hasEnded();
    });
    expect(await ended()).toEqual([['no_progress', 1]]);
  });

  it('A request that is handled for longer is answered', async () => {
    await start(Infinity);
    const socket = ask('/held');
    await waitFor(() => held.length > 0);
    await setTimeout(1.5 * briefMs);
    for (const answer of held) answer();
    const [chunk] = (await once(socket.resume(), 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ended()).toEqual([]);
  });

  it('An answer that stops after a slow handler ends too', async () => {
    await start(Infinity);
    ask('/held', '/large');
    await waitFor(() => connections.unreadBytes() > 0);
    await waitFor(hasEnded);
    expect(await ended()).toEqual([['no_progress', 1]]);
  });

  it('Above the most bytes, the connections that have waited longest are closed', async () => {
    await start(2.5 * largeBytes, 60_000);
    // The answer that waits behind the first one counts, too.
    const old = ask('/large', '/large');
    await waitFor(() => connections.unreadBytes() > largeBytes);
    const young = ask('/large');
    await waitFor(hasEnded);
    expect(await ended()).toEqual([['too_many_bytes', 1]]);
    expect(connections.unreadBytes()).toBeLessThan(1.1 * largeBytes);
    await once(old.resume(), 'close');
    young.resume();
    await waitFor(() => young.bytesRead > largeBytes);
    expect(old.bytesRead).toBeLessThan(largeBytes);
  });

  it('A connection with more requests without an answer than clients send is closed', async () => {
    await start(Infinity);
    const closed = once(ask(...Array<string>(9).fill('/held')).resume(), 'close');
    await closed;
    expect(await ended()).toEqual([['too_many_requests', 1]]);
  });

  it.each([
    ['reads the answers', true],
    ['reads nothing', false],
  ])('Of 1,400 requests in one write of a client that %s, eight are handled', async (_how, reads) => {
    await start(Infinity);
    const socket = ask(...Array<string>(1_400).fill('/r/ABCDEFGH'));
    if (reads) socket.resume();
    await waitFor(() => lines.length > 0);
    expect(handled).toHaveLength(8);
    expect(await dropped()).toBeGreaterThan(0);
    expect(new Error('after it').stack).toContain('guard-connections.test');
    expect(lines).toEqual([
      {
        message: 'requests were dropped because their connection was closed before',
        client: '127.0.0.0/24',
        requests: await dropped(),
      },
    ]);
  });

  it('Requests after one that ended the connection are not handled, and the client gets that answer', async () => {
    await start(Infinity);
    const socket = ask('/first', '/refused', '/late', '/later').resume();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    await waitFor(() => lines.length > 0);
    expect(Buffer.concat(chunks).toString()).toContain('HTTP/1.1 400 Bad Request');
    expect([handled, await dropped()]).toEqual([['/first', '/refused'], 2]);
  });

  it('A client that closes its sending side after its requests gets all answers', async () => {
    await start(Infinity);
    const socket = ask('/one', '/two', '/three').resume();
    socket.end();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    expect(
      Buffer.concat(chunks)
        .toString()
        .match(/HTTP\/1.1 200 OK/g),
    ).toHaveLength(3);
    expect([handled, await dropped(), lines]).toEqual([['/one', '/two', '/three'], 0, []]);
  });
});
