/**
 * A limit of a rate: on average `perSecond`, and at most `burst` at once. The arithmetic is that of a token bucket, in the
 * form of GCRA (ITU-T I.371): a bucket is one number, how far its charges are ahead of the time.
 */
export interface RateLimit {
  /** Of the limit, in keys of Redis and in metrics: `key_requests`. */
  name: string;
  perSecond: number;
  burst: number;
}

/** The state of a bucket after a charge, or after its refusal. */
export interface BucketState {
  allowed: boolean;
  /** What may be charged at once now. */
  remaining: number;
  /** Time until the bucket is full again, in milliseconds. */
  fullInMs: number;
  /** When refused: time until the same charge may be made, in milliseconds; otherwise 0. */
  retryAfterMs: number;
}

/** A charge in microseconds of the limit's rate. */
export interface Charge {
  /** What the bucket must have: the cost, at most the burst. */
  needed: number;
  /** What is taken from it. More than `needed` when the cost is above the burst: the bucket is then in debt. */
  taken: number;
  /** What the bucket has when it is full. */
  capacity: number;
}

/**
 * The charge of `cost` units. A cost above the burst needs a full bucket, and the debt delays the charges that follow.
 * So a request with more orders than a second allows is possible, and the average still holds.
 */
export function chargeOf({ perSecond, burst }: RateLimit, cost: number): Charge {
  const unit = 1_000_000 / perSecond;
  return { needed: Math.min(cost, burst) * unit, taken: cost * unit, capacity: burst * unit };
}

/**
 * Charges a bucket that is `ahead` microseconds ahead of the time, and returns how far it is afterwards. The Lua script of
 * `rate-limits.ts` does the same.
 */
export function chargeBucket(ahead: number, { needed, taken, capacity }: Charge): [boolean, number] {
  return ahead + needed <= capacity + tolerance ? [true, ahead + taken] : [false, ahead];
}

/** Half a microsecond, so that the rounding of the time does not refuse the last unit of a burst. */
export const tolerance = 0.5;

/** Describes the state of a bucket that is `ahead` microseconds ahead after the charge. */
export function describeBucket(
  { perSecond, burst }: RateLimit,
  { needed, capacity }: Charge,
  allowed: boolean,
  ahead: number,
): BucketState {
  const left = Math.max(0, capacity - ahead + tolerance);
  return {
    allowed,
    remaining: Math.min(burst, Math.floor((left * perSecond) / 1_000_000)),
    fullInMs: ahead / 1_000,
    retryAfterMs: allowed ? 0 : Math.max(0, ahead + needed - capacity) / 1_000,
  };
}
