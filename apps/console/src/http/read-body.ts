import express from 'express';
import type { Request, RequestHandler } from 'express';
import { readJson } from '@rewardhook/contract';
import { invalidField, invalidRequest } from './console-error.ts';

const jsonType = /^application\/json\s*(?:;|$)/i;

/** Reads the bytes of a JSON request, up to a limit. Browsers do not compress bodies; a compressed one could take a window of 16 MiB. */
export function readBody(limit: number): RequestHandler[] {
  return [requireJson, express.raw({ type: () => true, limit, inflate: false })];
}

/** The parsed body. */
export function parseBody(request: Request): unknown {
  const bytes: unknown = request.body;
  const reading = readJson(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
  if (!reading.ok) throw invalidRequest({ body: reading.error });
  return reading.value;
}

const requireJson: RequestHandler = (request, _response, next) => {
  if (!jsonType.test(request.get('content-type') ?? ''))
    throw invalidField('content-type', 'not_json_content');
  next();
};
