/** What the open-loop load generator sends. */
export interface StreamPlan {
  url: string;
  /** Request `n` is sent with the key `n % keys.length`. */
  keys: string[];
  /** Begins every order_id and member_id. */
  prefix: string;
  ordersPerMember: number;
  /** Orders in a request. */
  batch: number;
  /**
   * `rate`: requests are sent at the time when they are due, whatever the responses, over as many connections as that
   * needs. `all`: this number of requests is sent over so many connections, and sent again until the response is 202.
   */
  pace:
    | { kind: 'rate'; perSecond: number; seconds: number }
    | { kind: 'all'; requests: number; connections: number };
  /** Every n-th request repeats an earlier one, with a new version of its orders; default none. */
  repeatEvery?: number;
  /** An accepted request is late when its response takes longer, in milliseconds. */
  lateMs?: number;
}

/** Latencies in milliseconds; NaN without any response. */
export interface Latencies {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface StreamResult {
  /** Milliseconds since 1970 at the first POST. */
  startedAt: number;
  seconds: number;
  sent: number;
  /** From the time when a request was due, to its response 202. */
  accepted: Latencies;
  /** The same, without the requests that were due in the first ten seconds. */
  acceptedLater: Latencies;
  /** From the time when a request was due, to its response 429 or 503. */
  refused: Latencies;
  /** The numbers of the accepted requests, in the order of their responses. */
  acceptedRequests: number[];
  /** Responses by status, and `error` for requests without a response. */
  responses: Record<string, number>;
  /** Responses 429 and 503 without `Retry-After`. */
  withoutRetryAfter: number;
  /** Connections that were opened. */
  connections: number;
  /** Seconds from the start to the last request that was refused, late or without a response; 0 when there was none. */
  lastBadSeconds: number;
}
