import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable, Transform } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import { describeFieldError, readJson, requestLimits } from '@rewardhook/contract';
import { freeMemory } from '@rewardhook/process';
import { ownerOf } from '../keys/authenticate.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import type { BodyBudget } from './body-budget.ts';
import { hasOwnMemory } from './own-memory.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * Reads the body of an authenticated JSON request, decompressed, up to a limit in bytes, and then calls the handler. The
 * bytes count in the budget until the handler has finished.
 */
export function withBody(
  limit: number,
  { budget, keyLimits }: { budget: BodyBudget; keyLimits: Pick<KeyLimits, 'finish'> },
  handle: RequestHandler,
): RequestHandler {
  return async (request, response, next) => {
    requireJson(request);
    const eviction = new AbortController();
    const reservation = budget.reserve(ownerOf(response), (reason) => eviction.abort(reason));
    try {
      const { grow, release } = reservation;
      request.body = await readBytes(request, limit, {
        onBytes: grow,
        onRefused: release,
        signal: eviction.signal,
      });
      reservation.complete();
      await keyLimits.finish(response);
      await handle(request, response, next);
    } finally {
      request.body = undefined;
      reservation.release();
    }
  };
}

/** The bytes of the body that `withBody` has read, decompressed. */
export function bodyOf(request: Request): Buffer {
  const bytes: unknown = request.body;
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
}

/**
 * Parses the body, and frees its bytes. Bytes that are not UTF-8 are refused: replacing them would change what was sent.
 */
export function parseBody(request: Request): unknown {
  const bytes = bodyOf(request);
  request.body = undefined;
  const reading = readJson(bytes);
  if (!reading.ok) throw invalidRequest({ body: describeFieldError(reading.error) });
  return reading.value;
}

function requireJson(request: Request): void {
  const type = request.get('content-type') ?? '';
  if (!jsonType.test(type)) throw invalidRequest({ 'content-type': 'must be application/json' });
  const encoding = charset.exec(type)?.[1]?.toLowerCase();
  if (encoding !== undefined && encoding !== 'utf-8' && encoding !== 'utf8')
    throw invalidRequest({ 'content-type': 'charset must be utf-8' });
}

/** A map, because an object also has the names of its prototype, such as `constructor`. */
const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** A body with orders can be split; others have a few short fields. */
const tooLargeMessage = (limit: number) =>
  limit === requestLimits.bodyBytes
    ? `The body must not be larger than ${limit} bytes, decompressed. Send fewer orders in each request.`
    : `The body must not be larger than ${limit} bytes, decompressed.`;

/** Callbacks of a body that is being read, and the signal that ends it. */
interface ReadOptions {
  /**
   * Called with the size of each chunk before it is kept. Refuses the body by throwing. The rest of the body is read when the
   * returned promise is fulfilled.
   */
  onBytes: (bytes: number) => Promise<void> | undefined;
  /** Called when the body was refused and its bytes are freed. */
  onRefused: () => void;
  /** Refuses the body, with the reason of the signal as the error. */
  signal: AbortSignal;
}

/**
 * Reads a decompressed body up to a limit in bytes. When it is refused, the rest of it is read and dropped, because a
 * client that is still sending would not read the response.
 * @throws ApiError `payload_too_large` or `invalid_request`, the error of `onBytes`, or the reason of `signal`
 */
async function readBytes(
  request: Request,
  limit: number,
  { onBytes, onRefused, signal }: ReadOptions,
): Promise<Buffer> {
  try {
    return await collect(request, limit, { onBytes, signal });
  } catch (error) {
    onRefused();
    await dropRest(request);
    throw error;
  }
}

function collect(
  request: Request,
  limit: number,
  { onBytes, signal }: Pick<ReadOptions, 'onBytes' | 'signal'>,
): Promise<Buffer> {
  const encoding = (request.get('content-encoding') ?? 'identity').toLowerCase();
  const decompress = decompressors.get(encoding);
  if (!decompress && encoding !== 'identity')
    throw invalidRequest({ body: 'content-encoding must be identity, gzip, deflate or br' });
  const tooLarge = () => new ApiError('payload_too_large', tooLargeMessage(limit));
  if (!decompress && Number(request.get('content-length') ?? 0) > limit) throw tooLarge();

  return new Promise((resolve, reject) => {
    const source: Readable = decompress ? request.pipe(decompress()) : request;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (settle: () => void) => {
      source.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('close', onClose).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      // Errors after the end are ignored; without a listener they would be thrown.
      source.on('error', () => undefined);
      request.on('error', () => undefined);
      if (source !== request) {
        request.unpipe();
        source.destroy();
      }
      settle();
    };
    const fail = (error: unknown) => {
      // Freed now, not only when the client has stopped sending.
      chunks.length = 0;
      finish(() => reject(error instanceof Error ? error : new Error(String(error))));
    };
    const onAbort = () => fail(signal.reason);
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge();
        const mayContinue = onBytes(chunk.length);
        chunks.push(chunk);
        if (!mayContinue) return;
        source.pause();
        void mayContinue.then(() => source.resume());
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => finish(() => resolve(joined(chunks)));
    const onError = (error: Error) =>
      fail(invalidRequest({ body: `cannot be read: ${error.message.slice(0, 200)}` }));
    const onClose = () => {
      if (!request.complete) fail(invalidRequest({ body: 'ended before it was complete' }));
    };
    source.on('data', onData).on('end', onEnd).on('error', onError);
    request.on('close', onClose);
    signal.addEventListener('abort', onAbort);
    if (source !== request) request.on('error', onError);
  });
}

/**
 * The bytes of the chunks, which are freed. A single chunk is not copied, unless it is a part of a larger buffer, which it would
 * keep in memory.
 */
function joined(chunks: Buffer[]): Buffer {
  const [only] = chunks;
  if (only && chunks.length === 1 && hasOwnMemory(only)) return only;
  const bytes = Buffer.concat(chunks);
  for (const chunk of chunks) freeMemory(chunk);
  return bytes;
}

/** Reads and drops the rest of a body. */
export async function dropRest(request: Request): Promise<void> {
  if (request.complete || request.destroyed) return void request.resume();
  await new Promise<void>((resolve) => {
    request
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    request.resume();
  });
}
