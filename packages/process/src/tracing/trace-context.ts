/**
 * Reads the header `traceparent` (W3C Trace Context). Returns it in version 00, with the flags that this version knows;
 * undefined when it is missing or invalid.
 */
export function readTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const fields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header.trim());
  if (!fields) return undefined;
  const [, version, traceId = '', parentId = '', flags = '00', more] = fields;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const known = Number.parseInt(flags, 16) & 0b11;
  return `00-${traceId}-${parentId}-0${known}`;
}
