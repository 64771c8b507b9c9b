/** Whether a parsed JSON value is an object (neither null nor an array). */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Limits of JSON text: how many levels of objects and arrays it opens, and how many values it has, objects and arrays included. */
export interface JsonLimits {
  levels: number;
  values: number;
}

/** The first limit that JSON text exceeds; undefined when it exceeds neither. Takes about 1 ns per byte. */
export function exceededLimit(bytes: Uint8Array, limits: JsonLimits): keyof JsonLimits | undefined {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) {
      if (++values > limits.values) return 'values';
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++values > limits.values) return 'values';
      if (++depth > limits.levels) return 'levels';
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
  }
  return undefined;
}
