import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { HostileBehaviour, HostilePhase } from './behaviour.ts';

const okHead = 'HTTP/1.1 200 OK\r\n';
const compress = {
  gzip: gzipSync,
  deflate: deflateSync,
  // The default quality of brotli takes seconds for a decompression bomb.
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
/** A cache of decompression bombs, by coding and size: making one takes as much memory as unpacking it. */
const bombs = new Map<string, Buffer>();
const page = Buffer.alloc(16_384, 'x');

/** What `flood` sends: the beginning, and the part that is repeated, in pieces that are large enough for a system call. */
const floodContents = {
  headers: [okHead, `x-more: ${'y'.repeat(1000)}\r\n`.repeat(16)],
  body: [`${okHead}\r\n`, page],
  chunks: [`${okHead}transfer-encoding: chunked\r\n\r\n`, `4000\r\n${page.toString()}\r\n`],
  informational: ['', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'.repeat(200)],
} as const;

/** What has been sent when the behaviour stops at a phase. */
const half: Record<HostilePhase, string> = {
  head: '',
  request: '',
  status: 'HTTP/1.1 20',
  headers: `${okHead}content-type: text/pl`,
  body: `${okHead}content-length: 1000\r\n\r\nhalf`,
};

/** Performs one behaviour on a connection whose request has been read as far as the behaviour needs. */
export function perform(socket: Socket, behaviour: HostileBehaviour): void {
  switch (behaviour.does) {
    case 'answer':
      return later(socket, behaviour.afterMs, () => answer(socket, behaviour));
    case 'hang':
    case 'close':
    case 'reset':
      return stop(socket, behaviour);
    case 'drip':
      socket.write(
        behaviour.part === 'headers' ? `${okHead}x-drip: ` : `${okHead}content-length: 100000\r\n\r\n`,
      );
      return drip(socket, behaviour.everyMs);
    case 'flood':
      return flood(socket, floodContents[behaviour.part]);
    case 'bomb':
      return answer(socket, {
        does: 'answer',
        headers: { 'content-encoding': behaviour.coding },
        body: bomb(behaviour.coding, behaviour.mebibytes),
      });
    case 'send':
      socket.write(behaviour.bytes);
  }
}

function answer(
  socket: Socket,
  { status = 200, headers = {}, body = '', bodyAfterMs, hangUp }: Answer,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(body);
  socket.write(`HTTP/1.1 ${status} Said\r\n${lines.join('')}content-length: ${bytes.length}\r\n\r\n`);
  later(socket, bodyAfterMs, () => {
    socket.write(bytes);
    if (hangUp) socket.end();
  });
}

function bomb(coding: keyof typeof compress, mebibytes: number): Buffer {
  const name = `${coding} ${mebibytes}`;
  const made = bombs.get(name) ?? compress[coding](Buffer.alloc(mebibytes * 1_048_576));
  bombs.set(name, made);
  return made;
}

type Answer = Extract<HostileBehaviour, { does: 'answer' }>;

function stop(socket: Socket, { does, at }: Extract<HostileBehaviour, { at: HostilePhase }>): void {
  if (half[at] === '') return end();
  // Reset after the bytes are sent: a reset discards buffered bytes.
  socket.write(half[at], end);

  function end(): void {
    if (does === 'close') socket.end();
    if (does === 'reset') socket.resetAndDestroy();
  }
}

function drip(socket: Socket, everyMs: number): void {
  const dripping = setInterval(() => socket.write('.'), everyMs);
  socket.once('close', () => clearInterval(dripping));
}

function flood(socket: Socket, [beginning, more]: readonly [string, string | Uint8Array]): void {
  const on = (): void => {
    while (socket.writable && socket.write(more));
  };
  if (beginning !== '') socket.write(beginning);
  socket.on('drain', on);
  on();
}

/** Calls `then` after a while, unless the connection is closed by then. */
export function later(socket: Socket, ms: number | undefined, then: () => void): void {
  if (ms === undefined) return then();
  const timer = setTimeout(then, ms);
  socket.once('close', () => clearTimeout(timer));
}
