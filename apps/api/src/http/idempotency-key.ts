import type { Request } from 'express';
import { textProblem } from '@rewardhook/contract';
import { invalidRequest } from './api-error.ts';

const longestKey = 255;

/** @throws ApiError without a usable `Idempotency-Key` */
export function readIdempotencyKey(request: Request): string {
  const key = request.get('idempotency-key');
  if (key === undefined)
    throw invalidRequest({
      'Idempotency-Key': 'is required: a value of your own for this correction, such as a UUID',
    });
  if (key === '' || textProblem(key, 1, longestKey) !== undefined)
    throw invalidRequest({ 'Idempotency-Key': `must have 1 to ${longestKey} characters` });
  return key;
}
