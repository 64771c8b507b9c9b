/** Maximum number of nested objects and arrays in a request body; the body itself is the first level. */
export const MAX_DEPTH = 32;

/** Whether a parsed JSON value is an object (neither null nor an array). */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** Whether a parsed JSON value is an object or an array. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether a parsed JSON value has more than `levels` levels of objects and arrays. Visits level by level instead of
 * recursing: JSON.parse accepts 50,000 levels, which would overflow the stack of a recursive function.
 */
export function nestsDeeperThan(value: unknown, levels: number): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: object[] = [];
    for (const container of level) {
      if (Array.isArray(container)) {
        for (const child of container) if (isContainer(child)) next.push(child);
        continue;
      }
      // Object.values would take twice as long for a million fields.
      for (const name in container) {
        const child = (container as Record<string, unknown>)[name];
        if (isContainer(child)) next.push(child);
      }
    }
    level = next;
  }
  return false;
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
