import { setImmediate } from 'node:timers/promises';

const UNITS_PER_SLICE = 4000;

/**
 * Work in units of very roughly 0.1 µs: a value looked at for its depth is 1, an order or item read quickly is 10, one
 * that Joi judges or an offset searched for is more.
 */
export const cost = { quickRead: 10, thoroughRead: 100, offsetSearch: 200 } as const;

/**
 * Cuts long work into slices so that the event loop serves others in between. A slice is counted in units of work, not
 * by the clock, so that what fits into one slice (about 100 orders) never gives up its turn.
 */
export class WorkBudget {
  private left = UNITS_PER_SLICE;

  /** Records work done; true when it is time to {@link pause}. */
  spend(units: number): boolean {
    this.left -= units;
    return this.left <= 0;
  }

  /** Lets the event loop turn once. */
  async pause(): Promise<void> {
    this.left = UNITS_PER_SLICE;
    await setImmediate();
  }
}
