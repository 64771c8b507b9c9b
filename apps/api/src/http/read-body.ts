import express from 'express';
import type { Request, RequestHandler } from 'express';
import { readJson } from '@rewardhook/contract';
import { invalidRequest } from './api-error.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** Reads the raw bytes of a JSON request, unpacked, up to a limit in bytes. */
export function readBody(limit: number): RequestHandler[] {
  return [requireJson, express.raw({ type: () => true, limit })];
}

/** The parsed body. Bytes that are no UTF-8 are refused: decoding them leniently would change what was sent. */
export function parseBody(request: Request): unknown {
  const bytes: unknown = request.body;
  const reading = readJson(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
  if (!reading.ok) throw invalidRequest({ body: reading.message });
  return reading.value;
}

const requireJson: RequestHandler = (request, _response, next) => {
  const type = request.get('content-type') ?? '';
  if (!jsonType.test(type)) throw invalidRequest({ 'content-type': 'must be application/json' });
  const encoding = charset.exec(type)?.[1]?.toLowerCase();
  if (encoding !== undefined && encoding !== 'utf-8' && encoding !== 'utf8')
    throw invalidRequest({ 'content-type': 'charset must be utf-8' });
  next();
};
