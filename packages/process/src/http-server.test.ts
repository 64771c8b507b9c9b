import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { listen } from './http-server.ts';

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
