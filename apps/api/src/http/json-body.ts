import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { InputType, ZlibOptions } from 'node:zlib';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { fieldError, readJson, requestLimits } from '@rewardhook/contract';
import { openSemaphore } from '@rewardhook/process';
import { ownerOf } from '../keys/authenticate.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import type { Gate } from './gate.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** Decompresses bytes. Rejects when there would be more than `maxOutputLength`. */
type Decompress = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;

const decompressBrotli = promisify(brotliDecompress) as Decompress;

/** The encodings of bodies; identity has nothing to decompress. */
const encodings = new Map<string, Decompress | undefined>([
  ['identity', undefined],
  ['gzip', promisify(gunzip) as Decompress],
  ['deflate', promisify(inflate) as Decompress],
  ['br', decompressBrotli],
]);

/** A body has this long to arrive, in milliseconds: it holds reserved bytes meanwhile. */
const arrivalMs = 10_000;

/** Makes the middleware that reads a body of an authenticated request, which is then in `request.body`, and calls the handler. */
export type ReadBody = (
  limit: number,
  handle: RequestHandler,
  options?: { mayBeEmpty: boolean },
) => RequestHandler;

/**
 * Opens the reader of JSON bodies of up to a limit in bytes, decompressed. The bytes are reserved until the handler has ended.
 *
 * A compressed body is decompressed once it has arrived, one at a time in a process, and merchants alternate: 200 bytes of Brotli fill
 * a window of 4 MiB before the first decompressed byte is there.
 */
export function openBodyReader(gate: Pick<Gate, 'reserve'>): ReadBody {
  const decompressing = openSemaphore({ permits: () => 1 });
  const decompressed = async (
    request: Request,
    decompress: Decompress,
    limit: number,
    merchantId: string,
  ) => {
    const release = await decompressing.acquire(merchantId);
    try {
      // Brotli takes up to 20 ms, and the client may have left meanwhile.
      if (request.socket.destroyed) throw invalidRequest({ body: 'was left by its client' });
      return await decompress(request.body as Buffer, { maxOutputLength: limit });
    } finally {
      release();
    }
  };
  return (limit, handle, { mayBeEmpty } = { mayBeEmpty: false }) => {
    // The media type, the charset and the encoding are checked before.
    const receive = express.raw({ limit, type: () => true });
    return async (request, response, next) => {
      requireJson(request);
      const announced = announcedBytes(request, limit);
      if (announced > limit) throw tooLarge(limit);
      const owner = ownerOf(response);
      const reservation = gate.reserve(owner, announced);
      try {
        const decompress = encodings.get(encodingOf(request));
        // Express would decompress while the body arrives.
        delete request.headers['content-encoding'];
        try {
          await withDeadline(response, (done) => receive(request, response, done));
          request.body ??= Buffer.alloc(0);
          if (decompress === decompressBrotli) requireOrdinaryWindow(request.body as Buffer);
          const bytes = decompress
            ? await decompressed(request, decompress, limit, owner.merchantId)
            : (request.body as Buffer);
          response.locals['bodyBytes'] = bytes.length;
          request.body = parse(bytes, mayBeEmpty);
        } catch (error) {
          throw toApiError(error, limit);
        }
        reservation.reduceTo(bodyBytesOf(response));
        await handle(request, response, next);
      } finally {
        request.body = undefined;
        reservation.reduceTo(0);
      }
    };
  };
}

/**
 * Refuses Brotli with a window of more than 4 MiB (22 bits), the default of encoders and twice as much as a body may have. With 16 MiB,
 * each thread that decompresses keeps up to 32 MiB. The first byte has the bits of the window (RFC 7932, 9.1).
 */
function requireOrdinaryWindow(bytes: Buffer): void {
  const [first = 0] = bytes;
  if (first % 2 === 1 && 17 + ((first >> 1) & 7) > 22)
    throw invalidRequest({ body: 'must have a Brotli window of at most 4 MiB (lgwin 22)' });
}

/** The value of a JSON body; undefined for an empty one that may be empty. */
function parse(bytes: Buffer, mayBeEmpty: boolean): unknown {
  if (mayBeEmpty && bytes.length === 0) return undefined;
  const reading = readJson(bytes);
  if (!reading.ok) throw invalidRequest({ body: reading.error });
  return reading.value;
}

/** The size of the body that was read, decompressed. */
export const bodyBytesOf = (response: Response): number => Number(response.locals['bodyBytes'] ?? 0);

function requireJson(request: Request): void {
  const type = request.get('content-type') ?? '';
  if (!jsonType.test(type)) throw invalidRequest({ 'content-type': fieldError('not_json_content') });
  const named = charset.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (named !== 'utf-8' && named !== 'utf8')
    throw invalidRequest({ 'content-type': 'charset must be utf-8' });
  if (!encodings.has(encodingOf(request)))
    throw invalidRequest({ body: 'content-encoding must be identity, gzip, deflate or br' });
}

const encodingOf = (request: Request): string =>
  (request.get('content-encoding') ?? 'identity').toLowerCase();

/** The size that the client announces; the limit when that is not the decompressed size. */
export function announcedBytes(request: Request, limit: number): number {
  const isCompressed = encodingOf(request) !== 'identity';
  const length = request.get('content-length');
  return isCompressed || length === undefined ? limit : Number(length);
}

/** Receives a body, and rejects with the error. A body that has not arrived in time ends with the connection. */
function withDeadline(response: Response, receive: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      response.set('connection', 'close');
      reject(new ApiError('request_timeout', 'The body did not arrive within 10 seconds. Send it again.'));
    }, arrivalMs);
    receive((error) => {
      clearTimeout(timer);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** The error of the API for one of Express or zlib. It is a new one, without a cause: an error that is logged has nothing of the body. */
function toApiError(error: unknown, limit: number): ApiError {
  if (error instanceof ApiError) return error;
  const { type, code, message } = error as { type?: string; code?: string; message: string };
  if (type === 'entity.too.large' || code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limit);
  if (type === 'request.aborted') return invalidRequest({ body: 'ended before it was complete' });
  return invalidRequest({ body: `cannot be read: ${message.slice(0, 200)}` });
}

/** A body with orders can be split; others have a few short fields. */
function tooLarge(limit: number): ApiError {
  const split = limit === requestLimits.bodyBytes ? ' Send fewer orders in each request.' : '';
  return new ApiError(
    'payload_too_large',
    `The body must not be larger than ${limit} bytes, decompressed.${split}`,
  );
}
