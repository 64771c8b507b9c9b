import { isUtf8 } from 'node:buffer';
import { fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { jsonNestsDeeperThan, MAX_DEPTH } from './nesting.ts';

/** A parsed body, or why it cannot be parsed (with at most one character of the body). */
export type JsonReading = { ok: true; value: unknown } | { ok: false; error: FieldError };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * JSON.parse takes seconds for millions of levels, and blocks the process meanwhile, so bodies with more levels are
 * refused before parsing. Below this number, validation checks the depth. A body with fewer bytes is not scanned.
 */
const MAX_LEVELS_PARSED = 65_536;

/** Parses the bytes of a JSON body. Bytes that are not UTF-8 are refused; a byte order mark is skipped. */
export function readJson(bytes: Buffer): JsonReading {
  if (!isUtf8(bytes)) return { ok: false, error: fieldError('not_utf8') };
  if (isTooDeepToParse(bytes)) {
    return { ok: false, error: fieldError('nested_too_deep', { limit: MAX_DEPTH }) };
  }
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: false, error: fieldError('empty') };
    return { ok: false, error: syntaxError((error as Error).message) };
  }
}

/** Whether JSON.parse would block the process for a long time. */
export function isTooDeepToParse(bytes: Buffer): boolean {
  return bytes.length > MAX_LEVELS_PARSED && jsonNestsDeeperThan(bytes, MAX_LEVELS_PARSED);
}

/** V8's message quotes the body around an unexpected character, so only the position or the character is used. */
function syntaxError(message: string): FieldError {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return fieldError('json_syntax', { position: Number(position) + 1 });
  const character = /^Unexpected token '(.)'/su.exec(message)?.[1];
  if (character !== undefined) return fieldError('json_unexpected_character', { character });
  return fieldError(message.startsWith('Unexpected end') ? 'json_incomplete' : 'json_invalid');
}
