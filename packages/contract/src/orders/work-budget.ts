import { setImmediate } from 'node:timers/promises';

const UNITS_PER_SLICE = 4000;

/**
 * Units of work, very roughly 0.1 µs each: 1 for a value whose depth is checked, 10 for an order or item that the fast
 * reader reads, 3 for one that is printed, more for one that Joi validates and for an offset that is searched for.
 */
export const cost = { byte: 0.01, fastRead: 10, print: 3, fullValidation: 100, offsetSearch: 200 } as const;

/**
 * Divides long work into slices, between which the event loop serves other requests. A slice is measured in units of
 * work, not in time, so that a request that fits into one slice (about 100 orders) is never interrupted.
 */
export class WorkBudget {
  private left = UNITS_PER_SLICE;

  /** Records work that was done. Returns true when the slice is used up: then {@link pause}. */
  spend(units: number): boolean {
    this.left -= units;
    return this.left <= 0;
  }

  /** Begins a new slice after one iteration of the event loop. */
  async pause(): Promise<void> {
    this.left = UNITS_PER_SLICE;
    await setImmediate();
  }
}
