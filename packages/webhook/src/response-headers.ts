import type { IncomingHttpHeaders } from 'node:http';

const maxHeaders = 40;
const maxNameLength = 100;
const maxValueLength = 500;

/**
 * The answer's headers as they are kept with an attempt: the first 40, names up to 100 characters, values
 * up to 500, repeated ones joined. Cookies are left out: they are secrets, and nothing here needs them.
 */
export function boundedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name === 'set-cookie' || name === '__proto__') continue;
    if (++count > maxHeaders) break;
    const text = typeof value === 'string' ? value : value.join(', ');
    kept[name.slice(0, maxNameLength)] = text.slice(0, maxValueLength);
  }
  return kept;
}

/** The first value of a header that should come once. */
export function firstValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}
