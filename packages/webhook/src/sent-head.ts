import type { Socket } from 'node:net';

/**
 * Calls `onHead` with the head of each request as undici hands it to `socket`, before encryption: what is
 * recorded is then what was sent, `host` and `content-length` included, and no reconstruction of it. undici
 * writes heads as text and bodies as bytes; its diagnostics channel tells heads too, but without
 * `content-length`, and for the whole process.
 */
export function watchHeads(socket: Socket, onHead: (head: string) => void): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (typeof args[0] === 'string') onHead(args[0]);
    return write(...args);
  };
}

/** The headers of a request's head, names and values as sent, in the order sent. */
export function headersOfHead(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  const pairs = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : [];
  });
  return Object.fromEntries(pairs);
}
