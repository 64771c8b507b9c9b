import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { OrdersPart } from '@rewardhook/contract';

/*
 * Imported by the validation thread of the API, which does not load the rest of this package: only modules of Node here.
 */

/** Orders as a job stores them. */
export interface StoredOrders {
  orders: number;
  /** Bytes of their JSON array in UTF-8. */
  bytes: number;
  /** The JSON array, or, compressed, base64 of the DEFLATE format (RFC 1951), as pieces that follow each other. */
  pieces: Buffer[];
  compressed: boolean;
}

/** Fewer bytes are stored as they are: compressing them would take more time than Redis saves. */
const minBytes = 16_384;

/** Orders repeat their field names, so that even the fastest level makes a fifth or a sixth of them. */
const level = 1;

/** The pieces of one part at a time: fresh memory of this size costs more time than copying into it. */
let joined = Buffer.alloc(0);
const maxKeptBytes = 262_144;

/** Compresses the orders of a job, from 16 KiB on. */
export function compressOrders({ orders, pieces }: OrdersPart): StoredOrders {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes < minBytes) return { orders, bytes, pieces, compressed: false };
  // One output buffer is nearly always enough: zlib starts with 16 KiB otherwise, and joins what it has made.
  const deflated = deflateRawSync(join(pieces, bytes), { level, chunkSize: Math.ceil(bytes / 2) });
  const base64 = deflated.toString('base64');
  // With memory of its own it can be moved out of a thread, and freed.
  const text = Buffer.allocUnsafeSlow(base64.length);
  text.write(base64, 'latin1');
  return { orders, bytes, pieces: [text], compressed: true };
}

function join(pieces: readonly Buffer[], bytes: number): Buffer {
  const target = joined.length >= bytes ? joined : Buffer.allocUnsafeSlow(Math.max(bytes, maxKeptBytes));
  if (target.length === maxKeptBytes) joined = target;
  let end = 0;
  for (const piece of pieces) end += piece.copy(target, end);
  return target.subarray(0, bytes);
}

/**
 * The JSON array of compressed orders, of which `bytes` is the length. It has memory of its own.
 * @throws when they are damaged, or of another length
 */
export function decompressOrders(text: Buffer, bytes: number): Buffer {
  const deflated = Buffer.from(text.toString('latin1'), 'base64');
  const json = inflateRawSync(deflated, { chunkSize: bytes, maxOutputLength: bytes });
  if (json.length !== bytes) throw new Error('the orders have another length');
  return json;
}
