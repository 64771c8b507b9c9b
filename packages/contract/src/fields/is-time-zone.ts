/**
 * Whether this is the name of a time zone, such as `Asia/Seoul`: an area and a location that the runtime knows, or `UTC`.
 * Offsets such as `+09:00` are none, nor are abbreviations such as `CET`, `AET` or `EST`: PostgreSQL does not know some
 * of them and takes others for a fixed offset.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  return /^[A-Z][A-Za-z_]*\/[A-Za-z0-9_+/-]+$/.test(name) && isKnownToRuntime(name);
}

/** The name of a stored time zone, or `UTC` where the runtime does not know it: `isTimeZone` refuses that today. */
export function timeZoneOrUtc(name: string): string {
  return isKnownToRuntime(name) ? name : 'UTC';
}

function isKnownToRuntime(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
