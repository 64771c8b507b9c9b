import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from './fields/nesting.ts';
import { jsonNestsDeeperThan } from './json-nesting.ts';

/** A parsed body, or what is wrong with it, to be told to the client (at most one character of the body in it). */
export type JsonReading = { ok: true; value: unknown } | { ok: false; message: string };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * JSON.parse takes seconds for millions of levels, during which nobody else is served, so these are refused unparsed.
 * Fewer than these are left to validation. No text has more levels than bytes: small bodies are not scanned.
 */
const MAX_LEVELS_PARSED = 65_536;

/** Parses the bytes of a JSON body. Bytes that are not UTF-8 are refused rather than replaced; a BOM is skipped. */
export function readJson(bytes: Buffer): JsonReading {
  if (!isUtf8(bytes)) return { ok: false, message: 'must be UTF-8 text' };
  if (bytes.length > MAX_LEVELS_PARSED && jsonNestsDeeperThan(bytes, MAX_LEVELS_PARSED)) {
    return { ok: false, message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  }
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: false, message: 'must not be empty' };
    return { ok: false, message: `must be valid JSON: ${reason((error as Error).message)}` };
  }
}

/** V8's own message quotes the body around an unexpected character, so only its harmless parts are passed on. */
function reason(message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `there is a mistake at character ${Number(position) + 1}`;
  const character = /^Unexpected token '(.)'/su.exec(message)?.[1];
  if (character !== undefined) return `unexpected ${JSON.stringify(character)}`;
  return message.startsWith('Unexpected end') ? 'it ends too early' : 'it cannot be parsed';
}
