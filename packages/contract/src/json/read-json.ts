import { isUtf8 } from 'node:buffer';
import { fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { exceededLimit, MAX_DEPTH } from './nesting.ts';

/** A parsed body, or why it cannot be parsed (with at most one character of the body). */
export type JsonReading = { ok: true; value: unknown } | { ok: false; error: FieldError };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * JSON.parse takes seconds for millions of levels, and blocks the process meanwhile, and `{}` takes 70 bytes of memory: bodies with
 * more levels or values are refused before parsing. Below this number of levels, validation checks the depth.
 */
const parseLimits = { levels: 65_536, values: 200_000 };

/** A body with at most this number of bytes is not scanned: it exceeds no limit. */
const unscannedBytes = 65_536;

/** Parses the bytes of a JSON body. Bytes that are not UTF-8 are refused; a byte order mark is skipped. */
export function readJson(bytes: Buffer): JsonReading {
  if (!isUtf8(bytes)) return { ok: false, error: fieldError('not_utf8') };
  const refusal = refuseToParse(bytes);
  if (refusal) return { ok: false, error: refusal };
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: false, error: fieldError('empty') };
    return { ok: false, error: syntaxError((error as Error).message) };
  }
}

/** Why a body is not parsed; undefined when it is. */
function refuseToParse(bytes: Buffer): FieldError | undefined {
  const exceeded = bytes.length > unscannedBytes ? exceededLimit(bytes, parseLimits) : undefined;
  if (exceeded === 'levels') return fieldError('nested_too_deep', { limit: MAX_DEPTH });
  return exceeded && fieldError('too_many_values', { limit: parseLimits.values });
}

/** V8's message quotes the body around an unexpected character, so only the position or the character is used. */
function syntaxError(message: string): FieldError {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return fieldError('json_syntax', { position: Number(position) + 1 });
  const character = /^Unexpected token '(.)'/su.exec(message)?.[1];
  if (character !== undefined) return fieldError('json_unexpected_character', { character });
  return fieldError(message.startsWith('Unexpected end') ? 'json_incomplete' : 'json_invalid');
}
