import { deflateSync, inflateSync } from 'node:zlib';
import type { OrdersPart } from '@rewardhook/contract';

/*
 * Imported by the validation thread of the API, which does not load the rest of this package: only modules of Node here.
 */

/** Orders as a job stores them. */
export interface StoredOrders {
  orders: number;
  /** Bytes of their JSON array in UTF-8. */
  bytes: number;
  /** The JSON array, or, compressed, base64 of the zlib format (RFC 1950), which has a checksum, as pieces that follow each other. */
  pieces: Buffer[];
  compressed: boolean;
}

/** Fewer bytes are stored as they are: compressing them would take more time than Redis saves. */
const minBytes = 16_384;

/** The fastest level. Orders repeat their field names, so it reduces them to a fifth already. */
const level = 1;

/** A buffer for the pieces of one part while they are compressed. It is reused: allocating one costs more time than copying. */
let joined = Buffer.alloc(0);
const maxKeptBytes = 262_144;

/** Compresses the orders of a job, from 16 KiB on, if that makes them smaller. */
export function compressOrders({ orders, pieces }: OrdersPart): StoredOrders {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes < minBytes) return { orders, bytes, pieces, compressed: false };
  // One output buffer is nearly always enough: zlib starts with 16 KiB otherwise, and joins what it has made.
  const deflated = deflateSync(join(pieces, bytes), { level, chunkSize: Math.ceil(bytes / 2) });
  const base64 = deflated.toString('base64');
  if (base64.length >= bytes) return { orders, bytes, pieces, compressed: false };
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

/** Compressed orders are damaged. The message contains no value. */
export class DamagedOrders extends Error {}

/** The error codes of zlib for damaged data, and those of Node for a wrong size. */
const damageCodes = new Set([
  'Z_DATA_ERROR',
  'Z_BUF_ERROR',
  'Z_NEED_DICT',
  'ERR_BUFFER_TOO_LARGE',
  'ERR_OUT_OF_RANGE',
]);

/** DEFLATE makes data at most 1,032 times smaller. */
const maxRatio = 1_032;

/**
 * The JSON array of compressed orders, of which `bytes` is the length. It has memory of its own from 32 KiB on:
 * Node allocates smaller buffers from a pool.
 * @throws DamagedOrders when they are damaged, or of another length
 */
export function decompressOrders(text: Buffer, bytes: number): Buffer {
  const deflated = Buffer.from(text.toString('latin1'), 'base64');
  if (bytes > deflated.length * maxRatio) throw new DamagedOrders('their size is wrong');
  try {
    // With an output buffer of exactly this size the result is all of it, so that it can be freed.
    const json = inflateSync(deflated, { chunkSize: bytes, maxOutputLength: bytes });
    if (json.length === bytes) return json;
  } catch (error) {
    // Any other error, such as one of memory, is not the fault of the orders.
    if (!damageCodes.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  throw new DamagedOrders('they cannot be decompressed');
}
