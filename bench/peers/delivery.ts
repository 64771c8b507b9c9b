/** The data of a job of the peers: everything that a delivery needs, so that the worker reads no row. */
export interface PeerDelivery {
  deliveryId: string;
  endpointId: string;
  url: string;
  signingSecret: string;
  body: string;
  /** Milliseconds since 1970. */
  dueAt: number;
}

/** The longest time of an attempt in milliseconds: that of webhook-delivery. */
export const attemptTimeoutMs = 15_000;
/** Attempts of a delivery, and the first retry delay in milliseconds, which doubles. */
export const maxAttempts = 5;
export const firstRetryMs = 5_000;
