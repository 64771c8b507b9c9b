import type { SyncRequestLimits, SyncRequestValidation } from '../src/orders/validate-sync-request.ts';

/** Limits for tests that are not about them. */
export const limits: SyncRequestLimits = { maxOrdersPerPart: 250, timeZone: 'Asia/Seoul' };

/** The orders of a valid request, parsed from its parts. */
export function ordersOf(validation: SyncRequestValidation): Record<string, unknown>[] {
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.params));
  return validation.parts.flatMap(({ orders, pieces }) => {
    const parsed = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>[];
    if (parsed.length !== orders) throw new Error(`${orders} orders stated, ${parsed.length} found`);
    return parsed;
  });
}
