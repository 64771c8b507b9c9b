/** How many levels of objects and arrays a request body may have; the body itself is the first. */
export const MAX_DEPTH = 32;

/** A validation that takes several steps: yields after each {@link NODES_PER_STEP} values, returns the validation. */
export type NestingCheck = Generator<void, boolean, void>;

/** How many values a {@link NestingCheck} looks at in one step. */
export const NODES_PER_STEP = 256;

/**
 * Tells whether a parsed JSON value has more than `levels` levels of objects and arrays. Goes level by level instead
 * of recursing, since JSON nested 50,000 deep parses well and then overflows the stack of whoever walks it.
 */
export function* nestsDeeperThan(value: unknown, levels: number): NestingCheck {
  let level: object[] = isContainer(value) ? [value] : [];
  let nodes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: object[] = [];
    for (const nest of level) {
      if (Array.isArray(nest)) {
        for (const child of nest) {
          if (isContainer(child)) next.push(child);
          if (++nodes % NODES_PER_STEP === 0) yield;
        }
        continue;
      }
      // Not Object.values: of a million fields it takes twice as long, all of it in one piece.
      for (const name in nest) {
        const child = (nest as Record<string, unknown>)[name];
        if (isContainer(child)) next.push(child);
        if (++nodes % NODES_PER_STEP === 0) yield;
      }
    }
    level = next;
  }
  return false;
}

/** Whether a value holds others: an object or an array. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
