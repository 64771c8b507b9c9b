import type { ServerResponse } from 'node:http';

/** A limit as clients see it: `quota` units within `windowSeconds`. */
export interface ShownLimit {
  /** `requests` or `orders`. */
  policy: string;
  quota: number;
  windowSeconds: number;
  remaining: number;
  /** Time until the whole quota is available again, in milliseconds. */
  resetMs: number;
}

/**
 * Sets the headers of the limits that apply to a request: `RateLimit-Policy` and `RateLimit` of the IETF draft
 * (draft-ietf-httpapi-ratelimit-headers-11), which name every limit, and `RateLimit-Limit`, `-Remaining` and `-Reset` of its
 * sixth version, which clients know, for the limit of which the smallest share remains.
 */
export function setRateLimitHeaders(response: ServerResponse, limits: ShownLimit[]): void {
  const [tightest] = limits.toSorted(
    (one, other) => one.remaining / one.quota - other.remaining / other.quota,
  );
  if (!tightest || response.headersSent) return;
  const policies = limits.map(
    ({ policy, quota, windowSeconds }) => `"${policy}";q=${quota};w=${windowSeconds}`,
  );
  const states = limits.map(
    (limit) => `"${limit.policy}";r=${limit.remaining};t=${secondsUntilReset(limit)}`,
  );
  response.setHeader('ratelimit-policy', policies.join(', '));
  response.setHeader('ratelimit', states.join(', '));
  response.setHeader('ratelimit-limit', tightest.quota);
  response.setHeader('ratelimit-remaining', tightest.remaining);
  response.setHeader('ratelimit-reset', secondsUntilReset(tightest));
}

const secondsUntilReset = ({ resetMs }: ShownLimit) => Math.ceil(resetMs / 1_000);
