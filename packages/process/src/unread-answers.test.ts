import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/testing';
import { limitUnreadAnswers } from './unread-answers.ts';
import type { UnreadAnswers, UnreadReason } from './unread-answers.ts';

const briefMs = 600;
/** More than the kernel holds for a connection of this machine. */
const largeBytes = 24 * 1_024 * 1_024;

describe('limitUnreadAnswers', () => {
  let server: Server;
  let unread: UnreadAnswers;
  let ended: UnreadReason[];
  let clients: Socket[];
  /** Answers the requests for `/held`. */
  let held: (() => void)[];

  async function start(maxBytes: number, stalledMs = briefMs): Promise<void> {
    [ended, clients, held] = [[], [], []];
    server = createServer((request, response) => {
      if (request.url === '/held') held.push(() => response.end('answer'));
      else response.end(Buffer.alloc(largeBytes));
    });
    unread = limitUnreadAnswers(server, (reason) => ended.push(reason), { stalledMs, maxBytes });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  }
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
    await waitFor(() => unread.bytes() > 0);
    await waitFor(() => ended.length > 0);
    expect([ended, unread.bytes()]).toEqual([['no_progress'], 0]);
  });

  it('An answer that is read slowly arrives completely, however long it takes', async () => {
    const stalledMs = 2_000;
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
      await setTimeout(stalledMs / 3);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1.5 * stalledMs);
    expect(ended).toEqual([]);
  });

  it('An answer also ends while the client goes on sending', async () => {
    await start(Infinity);
    const socket = ask('/large');
    socket.write('GET /next HTTP/1.1\r\n');
    await waitFor(async () => {
      socket.write('a: b\r\n');
      return ended.length > 0;
    });
    expect(ended).toEqual(['no_progress']);
  });

  it('A request that is handled for longer is answered', async () => {
    await start(Infinity);
    const socket = ask('/held');
    await once(socket, 'connect');
    await setTimeout(1.5 * briefMs);
    for (const answer of held) answer();
    const [chunk] = (await once(socket.resume(), 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(ended).toEqual([]);
  });

  it('An answer that stops after a slow handler ends too', async () => {
    await start(Infinity);
    ask('/held', '/large');
    await waitFor(() => unread.bytes() > 0);
    await setTimeout(1.5 * briefMs);
    expect(ended).toEqual(['no_progress']);
  });

  it('Above the most bytes, the connections that have waited longest are closed', async () => {
    await start(2.5 * largeBytes, 60_000);
    // The answer that waits behind the first one counts, too.
    const old = ask('/large', '/large');
    await waitFor(() => unread.bytes() > largeBytes);
    const young = ask('/large');
    await waitFor(() => ended.length > 0);
    expect(ended).toEqual(['too_many_bytes']);
    expect(unread.bytes()).toBeLessThan(1.1 * largeBytes);
    await once(old.resume(), 'close');
    young.resume();
    await waitFor(() => young.bytesRead > largeBytes);
    expect(old.bytesRead).toBeLessThan(largeBytes);
  });

  it('A connection with more requests without an answer than clients send is closed', async () => {
    await start(Infinity);
    const closed = once(ask(...Array<string>(9).fill('/held')).resume(), 'close');
    await closed;
    expect(ended).toEqual(['too_many_requests']);
  });
});
