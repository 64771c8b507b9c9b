import { move, transferableSymbol, valueSymbol } from 'piscina';
import { validateSyncBody } from '@rewardhook/contract';
import type { SyncRequestLimits } from '@rewardhook/contract';

/** A body to validate. */
export interface ValidationTask {
  body: Uint8Array;
  limits: SyncRequestLimits;
}

/** What a thread does: validates a body. The bytes of the result are moved to the event loop, and not copied. */
export default function validateInThread({ body, limits }: ValidationTask): unknown {
  const validation = validateSyncBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits);
  if (validation.kind !== 'valid') return validation;
  // Small buffers share a pool, which cannot be moved.
  const movable = validation.parts
    .map(({ json }) => json)
    .filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
    .map(({ buffer }) => buffer);
  return move({ [transferableSymbol]: movable, [valueSymbol]: validation });
}
