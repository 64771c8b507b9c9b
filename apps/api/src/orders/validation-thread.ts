import { move, transferableSymbol, valueSymbol } from 'piscina';
import { validateSyncBody } from '@rewardhook/contract';
import type { SyncRequestLimits } from '@rewardhook/contract';
import { hasOwnMemory } from '../http/own-memory.ts';

/** A body to validate. */
export interface ValidationTask {
  body: Uint8Array;
  limits: SyncRequestLimits;
}

/**
 * What a thread does: validates a body. The pieces of each part are joined in the thread, and moved to
 * the event loop, not copied.
 */
export default function validateInThread({ body, limits }: ValidationTask): unknown {
  const validation = validateSyncBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits);
  if (validation.kind !== 'valid') return validation;
  for (const part of validation.parts) part.pieces = [Buffer.concat(part.pieces)];
  const movable = validation.parts
    .flatMap(({ pieces }) => pieces)
    .filter(hasOwnMemory)
    .map(({ buffer }) => buffer);
  return move({ [transferableSymbol]: movable, [valueSymbol]: validation });
}
