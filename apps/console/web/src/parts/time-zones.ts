/** IANA names that the browser knows. */
export function timeZones(): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes('UTC') ? known : [...known, 'UTC'];
}
