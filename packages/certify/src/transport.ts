/** How slowly a body is sent: in `pieces` of equal size, with `intervalMs` before each piece after the first. */
export type Pace = { pieces: number; intervalMs: number };

/** One POST to the receiver. */
export type OutgoingRequest = {
  headers: Record<string, string>;
  body: Uint8Array;
  pace?: Pace;
  /** Ends the exchange when the time of the run is up. */
  signal?: AbortSignal;
};

/** The answer of the receiver, or why there is none. The client of packages/webhook returns such results. */
export type Answer = {
  timings: { totalMs: number };
  /** Whether the request used a connection that had carried one before. */
  connectionReused: boolean;
  /** Whether a connection that had carried a request broke, and this one was sent once more, on a new one. */
  retriedOnNewConnection?: boolean;
} & (
  | {
      result: 'response';
      status: number;
      /** Names in lower case. */
      responseHeaders: Record<string, string>;
      responseBody: string;
    }
  | {
      result: 'error';
      /** `timeout`, `reset`, `connect`, `dns`, `tls`, `blocked`, … */
      errorClass: string;
      /** Short, without secrets. */
      message: string;
    }
);

/** Posts one request. Never rejects; ends each exchange after 15 s, or at its signal; does not follow redirects. */
export type Send = (request: OutgoingRequest) => Promise<Answer>;

/** The secrets that sign: `primary` makes `X-Service-Signature`, and each of `all` a part of `webhook-signature`. */
export type SigningSecrets = { primary: string; all: readonly string[] };

/** A delivery without its signatures. */
export type UnsignedRequest = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  body: Uint8Array;
  timestampSeconds: number;
  /** Omitted for an unsigned request. */
  signing?: SigningSecrets;
};

/** Returns the headers of a delivery, as `deliveryHeaders` of packages/webhook does. */
export type Sign = (request: UnsignedRequest) => Record<string, string>;
