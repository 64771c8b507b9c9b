/** The value below which this share of an ascending list lies; NaN when it is empty. */
export function percentile(ascending: number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length / 2;
  if (!Number.isInteger(middle)) return ascending[Math.floor(middle)] as number;
  return ((ascending[middle - 1] ?? Number.NaN) + (ascending[middle] ?? Number.NaN)) / 2;
}
