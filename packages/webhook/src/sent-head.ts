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
  const headers: Record<string, string> = {};
  // By hand: this runs for each attempt. The first line is the request's, the last two are empty.
  for (
    let start = head.indexOf('\r\n') + 2, end;
    (end = head.indexOf('\r\n', start)) > start;
    start = end + 2
  ) {
    const colon = head.indexOf(': ', start);
    headers[head.slice(start, colon)] = head.slice(colon + 2, end);
  }
  return headers;
}
