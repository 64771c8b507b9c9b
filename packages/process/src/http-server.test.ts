import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { listen } from './http-server.ts';

/** Connections that the kernel has dropped because a queue of connections to accept was full. */
function droppedConnections(): number {
  const [names, values] = readFileSync('/proc/net/netstat', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' ')) as [string[], string[]];
  return Number(values[names.indexOf('ListenOverflows')]);
}

describe('listen', () => {
  it('A thousand clients that connect at once wait to be accepted, and none has to connect again', async () => {
    const running = await listen(
      createServer((_request, response) => response.end()),
      '127.0.0.1',
      0,
    );
    const port = Number(new URL(running.url).port);
    const before = droppedConnections();
    const sockets: Socket[] = [];
    const connected = Array.from({ length: 1_000 }, () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      return new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    });
    await Promise.all(connected);
    for (const socket of sockets) socket.destroy();
    await running.close();
    expect(droppedConnections()).toBe(before);
  });
});
