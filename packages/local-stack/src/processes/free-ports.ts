import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

// Below 32768, where the ports of Linux for outgoing connections begin: a connection could take the port between the end of
// a process and its restart.
const lowest = 20_000;
const highest = 31_999;

/** Whether a server can listen on the port now, on loopback and on every address. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

/** Finds a free port, which no other call of any process finds until this process ends. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('No free port');
  return port;
}

/** Finds `count` free ports, which no other call of any process finds until this process ends. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let tries = 0; found.length < count; tries++) {
    if (tries > 1_000) throw new Error(`No free port found between ${lowest} and ${highest}`);
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if ((await isPortFree(port)) && (await reserve(port))) found.push(port);
  }
  return found;
}

/**
 * Reserves a port among the callers of `freePorts`: only one of them can have the UDP port of the number. The system frees it when
 * the process ends, however it ends. A lock file of a killed process would remain, and two callers could both take it over.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const lock = createSocket('udp4');
    lock.once('error', () => resolve(false));
    lock.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      lock.unref();
      resolve(true);
    });
  });
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, ...(host ? { host } : {}) }, () => server.close(() => resolve(true)));
  });
}
