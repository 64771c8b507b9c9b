/** The first problems of one kind, and how many more there are. */
export function firstFew(problems: string[], most = 5): string[] {
  if (problems.length <= most) return problems;
  return [...problems.slice(0, most), `… and ${problems.length - most} more of this kind`];
}

/** Groups values by key. */
export function groupBy<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
