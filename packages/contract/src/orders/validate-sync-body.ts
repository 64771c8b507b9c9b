import { describeFieldError } from '../fields/field-errors.ts';
import { localOffsetOf } from '../fields/time-zone.ts';
import { readJson } from '../json/read-json.ts';
import { scanOrders } from './scan-orders.ts';
import { SlowSteps, TooManySlowSteps } from './slow-steps.ts';
import { validateSyncRequest } from './validate-sync-request.ts';
import type { SyncRequestLimits, SyncRequestValidation } from './validate-sync-request.ts';

/**
 * Validates the body of an orders/sync request, as {@link validateSyncRequest} does. Most bodies are valid and are not parsed:
 * see {@link scanOrders}.
 * @throws RangeError when the time zone is unknown
 */
export function validateSyncBody(bytes: Buffer, limits: SyncRequestLimits): SyncRequestValidation {
  return validate(bytes, limits, new SlowSteps());
}

/**
 * Validates a body as {@link validateSyncBody} does, unless it would take long: undefined when more than `maxSlowSteps` orders,
 * items and fields are not read fast, as those of nearly all valid bodies are. Each takes up to 70 µs.
 */
export function validateSyncBodyFast(
  bytes: Buffer,
  limits: SyncRequestLimits,
  maxSlowSteps: number,
): SyncRequestValidation | undefined {
  try {
    return validate(bytes, limits, new SlowSteps(maxSlowSteps));
  } catch (error) {
    if (error instanceof TooManySlowSteps) return undefined;
    throw error;
  }
}

/** @throws TooManySlowSteps */
function validate(bytes: Buffer, limits: SyncRequestLimits, slowSteps: SlowSteps): SyncRequestValidation {
  const localOffset = localOffsetOf(limits.timeZone);
  const orders = scanOrders(bytes, { localOffset });
  if (orders) return { kind: 'valid', parts: orders.divide(limits.maxOrdersPerPart), count: orders.count };
  const reading = readJson(bytes);
  if (reading.ok) return validateSyncRequest(reading.value, limits, slowSteps);
  return { kind: 'invalid', params: { body: describeFieldError(reading.error) } };
}
