import type { SyncRequestValidation } from '@rewardhook/contract';
import { compressOrders } from '@rewardhook/pipeline/compressed-orders';
import type { StoredOrders } from '@rewardhook/pipeline/compressed-orders';

type Valid = Extract<SyncRequestValidation, { kind: 'valid' }>;

/** The result of a validation, with the orders of a valid request as their jobs store them. */
export type BodyValidation =
  Exclude<SyncRequestValidation, Valid> | (Omit<Valid, 'parts'> & { parts: StoredOrders[] });

/** Compresses the orders of a valid request for their jobs. */
export function compressValid(validation: SyncRequestValidation): BodyValidation {
  return validation.kind === 'valid'
    ? { ...validation, parts: validation.parts.map(compressOrders) }
    : validation;
}
