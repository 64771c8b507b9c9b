import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { waitFor } from '@rewardhook/testing';
import { listen, serve } from './http-server.ts';
import type { Logger } from './logger.ts';
import { openMetrics } from './metrics.ts';

/** The number of connections that the kernel holds for a listening port until they are accepted. */
function waitingConnections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const listening = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, address, , state]) => address?.endsWith(local) && state === '0A');
  return Number.parseInt(listening?.[4]?.split(':')[1] ?? '', 16);
}

describe('listen', () => {
  it('A thousand clients that connect at once wait to be accepted, and none has to connect again', async () => {
    const running = await listen(
      createServer((_request, response) => response.end()),
      '127.0.0.1',
      0,
    );
    const port = Number(new URL(running.url).port);
    const sockets = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1'));
    // They connect in the next tick, and nothing is accepted before the next iteration of the event loop.
    await new Promise((resolve) => process.nextTick(resolve));
    const waiting = waitingConnections(port);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of sockets) socket.destroy();
    await running.close();
    const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) + 1;
    expect(waiting).toBe(Math.min(1_000, allowed));
  });
});

describe('serve', () => {
  it('Of 1,400 requests in one write eight are handled, and the others are a metric and one line in the log', async () => {
    const lines: [string, unknown][] = [];
    const note = (message: string, fields?: unknown) => void lines.push([message, fields]);
    const metrics = openMetrics();
    let close: () => unknown = () => undefined;
    let handled = 0;
    const { url } = await serve(
      (_request, response) => {
        handled += 1;
        response.end('answer');
      },
      { host: '127.0.0.1', port: 0, shutdownDelaySeconds: 0, keepAliveSeconds: 5 },
      {
        log: { info: note } as unknown as Logger,
        metrics,
        release: (_name, released) => (close = released),
        shutdown: new AbortController().signal,
      },
    );
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: api\r\n\r\n'.repeat(1_400));
    await waitFor(() => lines.length === 2);
    const text = await metrics.registry.metrics();
    await close();
    const requests = Number(/^rewardhook_requests_dropped_total (\d+)$/m.exec(text)?.[1]);
    expect(requests).toBeGreaterThan(0);
    expect(lines[1]).toEqual([
      'requests were dropped because their connection was closed before',
      { client: '127.0.0.0/24', requests },
    ]);
    expect(handled).toBe(8);
  });
});
