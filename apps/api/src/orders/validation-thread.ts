import { move, transferableSymbol, valueSymbol } from 'piscina';
import { validateSyncBody } from '@rewardhook/contract';
import type { SyncRequestLimits } from '@rewardhook/contract';
import { hasOwnMemory } from './own-memory.ts';

/** A body to validate. */
export interface ValidationTask {
  body: Uint8Array;
  limits: SyncRequestLimits;
}

/** What a thread does: validates a body. The bytes of the result are moved to the event loop, and not copied. */
export default function validateInThread({ body, limits }: ValidationTask): unknown {
  const validation = validateSyncBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits);
  if (validation.kind !== 'valid') return validation;
  const movable = validation.parts
    .map(({ json }) => json)
    .filter(hasOwnMemory)
    .map(({ buffer }) => buffer);
  return move({ [transferableSymbol]: movable, [valueSymbol]: validation });
}
