import type { Request, RequestHandler } from 'express';
import { describeFieldError, readJson } from '@rewardhook/contract';
import { ownerOf } from '../keys/authenticate.ts';
import { invalidRequest } from './api-error.ts';
import type { BodyBudget } from './body-budget.ts';
import { readBytes } from './read-bytes.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * Reads the raw bytes of an authenticated JSON request, unpacked, up to a limit in bytes, and has it handled. What was
 * read counts in the budget until the request is handled, in whichever way that ends.
 */
export function withBody(limit: number, budget: BodyBudget, handle: RequestHandler): RequestHandler {
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
      await handle(request, response, next);
    } finally {
      request.body = undefined;
      reservation.release();
    }
  };
}

/**
 * The parsed body; its bytes are forgotten. Bytes that are no UTF-8 are refused: decoding them leniently would change
 * what was sent.
 */
export function parseBody(request: Request): unknown {
  const bytes: unknown = request.body;
  request.body = undefined;
  const reading = readJson(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
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
