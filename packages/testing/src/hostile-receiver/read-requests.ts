import type { Socket } from 'node:net';

/** One request as it came. */
export interface HostileRequest {
  /** Which connection it came on: 1, 2, … */
  connection: number;
  method: string;
  path: string;
  /** The head exactly as it came, without the empty line. */
  head: string;
  /** As far as it has been read. */
  body: Buffer;
}

/** Called once for the head of each request; gives what to do when all of it is there, or nothing to stop reading. */
export type OnHead = (request: HostileRequest) => (() => void) | undefined;

/** Reads the requests of one connection, one after the other. Knows `Content-Length` and nothing finer. */
export function readRequests(socket: Socket, connection: number, onHead: OnHead): void {
  let buffered = Buffer.alloc(0);
  let current: { request: HostileRequest; length: number; act: () => void } | undefined;

  function read(): void {
    for (;;) {
      current ??= begin();
      if (!current || buffered.length < current.length) return;
      const { request, length, act } = current;
      request.body = Buffer.from(buffered.subarray(0, length));
      buffered = buffered.subarray(length);
      current = undefined;
      act();
    }
  }

  function begin(): typeof current {
    const end = buffered.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = buffered.toString('latin1', 0, end);
    buffered = buffered.subarray(end + 4);
    const [method = '', path = ''] = head.split(' ', 2);
    const request = { connection, method, path, head, body: Buffer.alloc(0) };
    const act = onHead(request);
    if (!act) {
      socket.off('data', listen).pause();
      return undefined;
    }
    return { request, length: Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0), act };
  }

  function listen(chunk: Buffer): void {
    buffered = Buffer.concat([buffered, chunk]);
    read();
  }
  socket.on('data', listen);
}
