/** Thrown when a validation would need more slow steps than it may take. */
export class TooManySlowSteps extends Error {}

/**
 * Counts the steps of a validation that take tens of microseconds, when reading a valid order takes two: an order or item that Joi
 * validates, an invalid field, an offset of a time zone that is searched for.
 */
export class SlowSteps {
  private left: number;

  constructor(most = Infinity) {
    this.left = most;
  }

  /** @throws TooManySlowSteps */
  count(): void {
    this.left -= 1;
    if (this.left < 0) throw new TooManySlowSteps();
  }
}
