import { isUtf8 } from 'node:buffer';
import { fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { exceededLimit } from './nesting.ts';

/** A parsed body, or why it cannot be parsed (with at most one character of the body). */
export type JsonReading = { ok: true; value: unknown } | { ok: false; error: FieldError };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * JSON.parse takes seconds for millions of levels, and `{}` takes 70 bytes of memory: bodies with more levels or values are refused
 * before parsing. The body itself is the first level.
 */
const limits = { levels: 32, values: 200_000 };

/** Tab, line feed, carriage return, space, and the bytes of a byte order mark. */
const blankBytes = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

/** Why the bytes of a body are not parsed; undefined when they are. Bytes that are not UTF-8 are refused: replacing them would change what was sent. */
function refuseBytes(bytes: Buffer): FieldError | undefined {
  if (!isUtf8(bytes)) return fieldError('not_utf8');
  if (bytes.every((byte) => blankBytes.has(byte))) return fieldError('empty');
  const exceeded = exceededLimit(bytes, limits);
  if (exceeded === 'levels') return fieldError('nested_too_deep', { limit: limits.levels });
  return exceeded && fieldError('too_many_values', { limit: limits.values });
}

/** Parses the bytes of a JSON body. A byte order mark is skipped. */
export function readJson(bytes: Buffer): JsonReading {
  const refusal = refuseBytes(bytes);
  if (refusal) return { ok: false, error: refusal };
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: syntaxErrorOf((error as Error).message) };
  }
}

/**
 * The error of a body that JSON.parse refuses, from the message of V8. The message quotes the body around an unexpected character, so
 * only the position or the character is used.
 */
function syntaxErrorOf(message: string): FieldError {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return fieldError('json_syntax', { position: Number(position) + 1 });
  const character = /^Unexpected token '(.)'/su.exec(message)?.[1];
  if (character !== undefined) return fieldError('json_unexpected_character', { character });
  return fieldError(message.startsWith('Unexpected end') ? 'json_incomplete' : 'json_invalid');
}
