import type { Socket } from 'node:net';

/** One request, unchanged. */
export interface HostileRequest {
  /** The number of its connection: 1, 2, … */
  connection: number;
  method: string;
  path: string;
  /** The bytes of the head, without the empty line. */
  head: string;
  /** The bytes of the body that have been read. */
  body: Buffer;
}

/** Called for the head of each request. Returns what to do when the request is complete, or nothing to stop reading. */
export type OnHead = (request: HostileRequest) => (() => void) | undefined;

/** Reads the requests of one connection in sequence. Supports `Content-Length` only. */
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
