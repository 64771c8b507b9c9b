import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable, Transform } from 'node:stream';
import type { Request } from 'express';
import { ApiError, invalidRequest } from './api-error.ts';

const unpackers: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Progress of a body that is being read, and what can end it. */
interface ByteReading {
  /** Called with the size of each piece before it is kept; may throw to refuse the rest. */
  onBytes: (bytes: number) => void;
  /** Called when nothing of the body is kept any more. */
  onRefused: () => void;
  /** Ends the reading, with its reason as the error. */
  signal: AbortSignal;
}

/**
 * Reads all of a body, unpacked, up to a limit in bytes. What a refused client still sends is read and dropped, so that
 * it sees the answer.
 * @throws ApiError `payload_too_large`, `invalid_request`, whatever `onBytes` throws, or the reason of `signal`
 */
export async function readBytes(
  request: Request,
  limit: number,
  { onBytes, onRefused, signal }: ByteReading,
): Promise<Buffer> {
  try {
    return await collect(request, limit, { onBytes, signal });
  } catch (error) {
    onRefused();
    await drop(request);
    throw error;
  }
}

function collect(
  request: Request,
  limit: number,
  { onBytes, signal }: Pick<ByteReading, 'onBytes' | 'signal'>,
): Promise<Buffer> {
  const encoding = (request.get('content-encoding') ?? 'identity').toLowerCase();
  const unpack = unpackers[encoding];
  if (!unpack && encoding !== 'identity')
    throw invalidRequest({ body: 'content-encoding must be identity, gzip, deflate or br' });
  const tooLarge = () =>
    new ApiError('payload_too_large', `The body must not be larger than ${limit} bytes.`);
  if (!unpack && Number(request.get('content-length') ?? 0) > limit) throw tooLarge();

  return new Promise((resolve, reject) => {
    const source: Readable = unpack ? request.pipe(unpack()) : request;
    const pieces: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void) => {
      source.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('close', onClose).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      // An error that comes later is nobody's any more.
      source.on('error', () => undefined);
      request.on('error', () => undefined);
      if (source !== request) {
        request.unpipe();
        source.destroy();
      }
      settle();
    };
    const fail = (error: unknown) => {
      // Freed now, not when the client has stopped sending.
      pieces.length = 0;
      end(() => reject(error instanceof Error ? error : new Error(String(error))));
    };
    const onAbort = () => fail(signal.reason);
    const onData = (piece: Buffer) => {
      size += piece.length;
      try {
        if (size > limit) throw tooLarge();
        onBytes(piece.length);
        pieces.push(piece);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => end(() => resolve(Buffer.concat(pieces, size)));
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

/** Reads what is left of a body and forgets it. */
async function drop(request: Request): Promise<void> {
  if (request.complete || request.destroyed) return void request.resume();
  await new Promise<void>((resolve) => {
    request
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    request.resume();
  });
}
