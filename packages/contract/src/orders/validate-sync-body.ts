import { isUtf8 } from 'node:buffer';
import { describeFieldError } from '../fields/field-errors.ts';
import { isTooDeepToParse, readJson } from '../json/read-json.ts';
import { SlowSteps, TooManySlowSteps } from './slow-steps.ts';
import { validateSyncRequest } from './validate-sync-request.ts';
import type { SyncRequestLimits, SyncRequestValidation } from './validate-sync-request.ts';

const BACKSLASH = 92;

/**
 * Parses and validates the body of an orders/sync request, as {@link validateSyncRequest} does.
 *
 * Most bodies are UTF-8 without escapes. Such a body is first read as Latin-1, one character for each byte, which halves
 * the time for decoding and parsing: V8 keeps such texts in one byte per character, and orders that are printed get
 * their bytes back. No rule accepts a text in this form that it would refuse otherwise: a text has at least as many
 * bytes as characters, and without escapes it has no NUL and no lone surrogate. A body that is refused is decoded and
 * validated again, because a long text may be valid, and for the errors.
 */
export function validateSyncBody(
  bytes: Buffer,
  limits: SyncRequestLimits,
  slowSteps = new SlowSteps(),
): SyncRequestValidation {
  const value = isUtf8(bytes) && !bytes.includes(BACKSLASH) ? parseLatin1(bytes) : undefined;
  if (value !== undefined) {
    const validation = validateSyncRequest(value, limits, { bytes, encoding: 'latin1' }, slowSteps);
    if (validation.kind === 'valid') return validation;
  }
  const reading = readJson(bytes);
  if (!reading.ok) return { kind: 'invalid', params: { body: describeFieldError(reading.error) } };
  return validateSyncRequest(reading.value, limits, { bytes, encoding: 'utf8' }, slowSteps);
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
    return validateSyncBody(bytes, limits, new SlowSteps(maxSlowSteps));
  } catch (error) {
    if (error instanceof TooManySlowSteps) return undefined;
    throw error;
  }
}

/** The parsed body; undefined when `readJson` must find out what is wrong with it. */
function parseLatin1(bytes: Buffer): unknown {
  if (isTooDeepToParse(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString('latin1'));
  } catch {
    return undefined;
  }
}
