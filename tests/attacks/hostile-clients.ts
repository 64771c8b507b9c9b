import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** A connection that asks for something and reads as slowly as the test wants. */
export interface HostileClient {
  socket: Socket;
  /** The status of the answer; undefined before it came. */
  status(): number | undefined;
}

/** Asks for a path, also several times in one packet, and reads nothing. */
export function askWithoutReading(
  url: string,
  path: string,
  headers: Record<string, string>,
  times = 1,
): HostileClient {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`.repeat(times));
  let start = '';
  socket.on('data', (chunk: Buffer) => {
    if (start.length < 12) start += chunk.toString('latin1', 0, 12);
  });
  return {
    socket,
    status: () => (start.length < 12 ? undefined : Number(start.slice(9, 12))),
  };
}

/** Reads an answer at some bytes a second until the connection is closed. */
export function readAt(bytesPerSecond: number, { socket }: HostileClient): void {
  const startedAt = performance.now();
  socket.on('data', () => socket.pause());
  const timer = setInterval(() => {
    const allowed = ((performance.now() - startedAt) / 1_000) * bytesPerSecond;
    if (socket.bytesRead <= allowed) socket.resume();
  }, 100);
  socket.once('close', () => clearInterval(timer));
}
