/** The first problems of one kind, and how many more there are. */
export function firstFew(problems: string[], most = 5): string[] {
  if (problems.length <= most) return problems;
  return [...problems.slice(0, most), `… and ${problems.length - most} more of this kind`];
}

/** Groups values by key. */
export function groupBy<T>(things: Iterable<T>, keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group) group.push(thing);
    else groups.set(keyOf(thing), [thing]);
  }
  return groups;
}
