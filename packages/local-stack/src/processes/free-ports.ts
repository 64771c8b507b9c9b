import { createServer } from 'node:net';

// Below 32768, where the ports of Linux for outgoing connections begin: a connection could take the port between the end of
// a process and its restart.
const lowest = 20_000;
const highest = 31_999;

/** Whether a server can listen on the port now, on loopback and on every address. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('No free port');
  return port;
}

/** Finds `count` different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries++) {
    if (tries > 1_000) throw new Error(`No free port found between ${lowest} and ${highest}`);
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if (!found.has(port) && (await isPortFree(port))) found.add(port);
  }
  return [...found];
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, ...(host ? { host } : {}) }, () => server.close(() => resolve(true)));
  });
}
