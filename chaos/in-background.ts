/**
 * Lets work go on that is awaited later. Its failure is that of whoever awaits it then: without this, one that comes before would
 * end the harness.
 */
export function inBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
