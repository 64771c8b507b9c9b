import { isUtf8 } from 'node:buffer';
import { describeFieldError } from '../fields/field-errors.ts';
import { readJson, refuseToParse } from '../json/read-json.ts';
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
export function validateSyncBody(bytes: Buffer, limits: SyncRequestLimits): SyncRequestValidation {
  return validateLatin1(bytes, limits, Infinity) ?? validateUtf8(bytes, limits, Infinity);
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
    return validateLatin1(bytes, limits, maxSlowSteps) ?? validateUtf8(bytes, limits, maxSlowSteps);
  } catch (error) {
    if (error instanceof TooManySlowSteps) return undefined;
    throw error;
  }
}

/** The result as Latin-1; undefined when the body is not UTF-8 without escapes, or its errors must be found. */
function validateLatin1(
  bytes: Buffer,
  limits: SyncRequestLimits,
  maxSlowSteps: number,
): SyncRequestValidation | undefined {
  if (!isUtf8(bytes) || bytes.includes(BACKSLASH)) return undefined;
  const value = parseLatin1(bytes);
  if (value === undefined) return undefined;
  try {
    const source = { bytes, encoding: 'latin1' } as const;
    const validation = validateSyncRequest(value, limits, source, new SlowSteps(maxSlowSteps));
    return validation.kind === 'invalid' ? undefined : validation;
  } catch (error) {
    // Long texts of other scripts are refused as Latin-1, and may be read fast as UTF-8.
    if (error instanceof TooManySlowSteps) return undefined;
    throw error;
  }
}

/** @throws TooManySlowSteps */
function validateUtf8(bytes: Buffer, limits: SyncRequestLimits, maxSlowSteps: number): SyncRequestValidation {
  const reading = readJson(bytes);
  if (!reading.ok) {
    const kind = reading.error.code === 'too_many_values' ? 'too_many' : 'invalid';
    return { kind, params: { body: describeFieldError(reading.error) } };
  }
  const source = { bytes, encoding: 'utf8' } as const;
  return validateSyncRequest(reading.value, limits, source, new SlowSteps(maxSlowSteps));
}

/** The parsed body; undefined when `readJson` must find out what is wrong with it. */
function parseLatin1(bytes: Buffer): unknown {
  if (refuseToParse(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString('latin1'));
  } catch {
    return undefined;
  }
}
