import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { describeFieldError, refuseBytes, requestLimits, syntaxErrorOf } from '@rewardhook/contract';
import { ownerOf } from '../keys/authenticate.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import type { Gate } from './gate.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** The same on every version of Node: Express also accepts zstd from Node 22.15 on. */
const encodings = new Set(['identity', 'gzip', 'deflate', 'br']);

/** A body has this long to arrive, in milliseconds: it holds reserved bytes meanwhile. */
const arrivalMs = 10_000;

/** Makes the middleware that reads a body of an authenticated request, which is then in `request.body`, and calls the handler. */
export type ReadBody = (
  limit: number,
  handle: RequestHandler,
  options?: { mayBeEmpty: boolean },
) => RequestHandler;

/** Opens the reader of JSON bodies of up to a limit in bytes, decompressed. The bytes are reserved until the handler has ended. */
export function openBodyReader(gate: Pick<Gate, 'reserve'>): ReadBody {
  return (limit, handle, { mayBeEmpty } = { mayBeEmpty: false }) => {
    // The media type and the charset are checked before.
    const parse = express.json({ limit, type: () => true, strict: false, verify: refuse(mayBeEmpty) });
    return async (request, response, next) => {
      requireJson(request);
      const announced = announcedBytes(request, limit);
      if (announced > limit) throw tooLarge(limit);
      const reservation = gate.reserve(ownerOf(response), announced);
      try {
        await withDeadline(response, (done) => parse(request, response, done)).catch((error: unknown) => {
          throw toApiError(error, limit);
        });
        reservation.reduceTo(bodyBytesOf(response));
        if (request.body === undefined && !mayBeEmpty) throw invalidRequest({ body: 'must not be empty' });
        await handle(request, response, next);
      } finally {
        request.body = undefined;
        reservation.reduceTo(0);
      }
    };
  };
}

/** The size of the body that was read, decompressed. */
export const bodyBytesOf = (response: Response): number => Number(response.locals['bodyBytes'] ?? 0);

function requireJson(request: Request): void {
  const type = request.get('content-type') ?? '';
  if (!jsonType.test(type)) throw invalidRequest({ 'content-type': 'must be application/json' });
  const named = charset.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (named !== 'utf-8' && named !== 'utf8')
    throw invalidRequest({ 'content-type': 'charset must be utf-8' });
  if (!encodings.has((request.get('content-encoding') ?? 'identity').toLowerCase()))
    throw invalidRequest({ body: 'content-encoding must be identity, gzip, deflate or br' });
  // Express would refuse `charset=utf8`.
  request.headers['content-type'] = 'application/json';
}

/** The size that the client announces; the limit when that is not the decompressed size. */
export function announcedBytes(request: Request, limit: number): number {
  const isCompressed = (request.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';
  const length = request.get('content-length');
  return isCompressed || length === undefined ? limit : Number(length);
}

/** Refuses bytes before they are parsed. What is thrown here has the body in `error.body` afterwards. */
const refuse = (mayBeEmpty: boolean) => (_request: unknown, response: unknown, bytes: Buffer) => {
  (response as Response).locals['bodyBytes'] = bytes.length;
  const error = mayBeEmpty && bytes.length === 0 ? undefined : refuseBytes(bytes);
  if (error) throw invalidRequest({ body: describeFieldError(error) });
};

/** Calls the parser, and rejects with its error. A body that has not arrived in time ends with the connection. */
function withDeadline(response: Response, parse: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      response.set('connection', 'close');
      reject(new ApiError('request_timeout', 'The body did not arrive within 10 seconds. Send it again.'));
    }, arrivalMs);
    parse((error) => {
      clearTimeout(timer);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/**
 * The error of the API for an error of `express.json`. It is a new one, without a cause: errors of `express.json` have the body of the
 * request, which must not be logged.
 */
function toApiError(error: unknown, limit: number): ApiError {
  const { type, message } = error as { type?: string; message: string };
  if (error instanceof ApiError) return new ApiError(error.code, message, error.params);
  if (type === 'entity.too.large') return tooLarge(limit);
  if (type === 'entity.parse.failed')
    return invalidRequest({ body: describeFieldError(syntaxErrorOf(message)) });
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
