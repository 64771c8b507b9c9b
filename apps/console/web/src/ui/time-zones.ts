/** The time zones to offer: those that the API accepts and the browser lists, and `selected` if the API accepts it. */
export function timeZones(accepted: string[], selected: string | undefined): string[] {
  const listed = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(selected ? [selected] : [])]);
  return accepted.filter((name) => listed.has(name) && isSupported(name));
}

function isSupported(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
