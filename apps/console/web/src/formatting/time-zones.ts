/** Of the names that the service takes those that the browser knows and lists, and `chosen` if it is one of them. */
export function timeZones(taken: string[], chosen: string | undefined): string[] {
  const listed = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(chosen ? [chosen] : [])]);
  return taken.filter((name) => listed.has(name) && isKnown(name));
}

function isKnown(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
