/** Thrown when a merchant would have more of something, or use it more often, than the settings allow. Nothing was changed. */
export class LimitReached extends Error {
  /** The field of the request that it is about. */
  readonly field: string | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, about: { field?: string; retryAfterSeconds?: number } = {}) {
    super(message);
    this.field = about.field;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}
