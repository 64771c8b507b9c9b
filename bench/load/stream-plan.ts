/** What the open-loop load generator sends: requests at the time when they are due, whatever the responses. */
export interface StreamPlan {
  url: string;
  key: string;
  /** Begins every order_id and member_id. */
  prefix: string;
  ordersPerMember: number;
  /** Orders in a request. */
  batch: number;
  perSecond: number;
  seconds: number;
  /** An accepted request is late when its response takes longer, in milliseconds. */
  lateMs: number;
}

/** Latencies in milliseconds; NaN without any response. */
export interface Latencies {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface StreamResult {
  seconds: number;
  sent: number;
  /** From the time when a request was due, to its response 202. */
  accepted: Latencies;
  /** From the time when a request was due, to its response 429 or 503. */
  refused: Latencies;
  /** The numbers of the accepted requests, in the order of their responses. */
  acceptedRequests: number[];
  /** Responses by status, and `error` for requests without a response. */
  responses: Record<string, number>;
  /** Responses 429 and 503 without `Retry-After`. */
  withoutRetryAfter: number;
  /** Seconds from the start to the last request that was refused, late or without a response; 0 when there was none. */
  lastBadSeconds: number;
}
