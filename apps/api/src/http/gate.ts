import type { KeyOwner } from '@rewardhook/database';
import { openSemaphore } from '@rewardhook/process';
import { overloaded, rateLimited, serviceUnavailable } from './api-error.ts';

/** The bytes that are reserved for the body of a request. */
export interface Reservation {
  /** Changes their number: less when the body is smaller than it could have been, 0 when the request has ended. */
  reduceTo(bytes: number): void;
}

/** What one request holds. Its functions may be called more than once. */
export interface Entry {
  /** The orders are validated: the next request with a large body may be. */
  validated(): void;
  /** The request is handled. */
  end(): void;
}

/**
 * Protects the process from more than it can handle, in two halves. Before a body is read, the bytes that it announces are reserved,
 * so that memory is bounded. Once it has arrived, the request waits for a place, so that slow clients take none.
 */
export interface Gate {
  /**
   * Reserves the bytes that a body announces, before it is read.
   * @throws ApiError `rate_limited` beyond the share of the merchant, `service_unavailable` beyond that of all
   */
  reserve(owner: Pick<KeyOwner, 'merchantId' | 'kind'>, bytes: number): Reservation;
  /**
   * Waits until a request whose body has arrived may be handled.
   * @throws ApiError `service_unavailable` after half a second
   */
  enter(merchantId: string, bytes: number): Promise<Entry>;
  /** @throws ApiError `service_unavailable` when the requests of the merchant that wait would delay this one too long */
  check(merchantId: string): void;
  reserved(): number;
  inProgress(): number;
  waiting(): number;
}

/** Bytes of bodies that are read or handled: of the keys of one kind of a merchant, and of all. */
const byteLimits = { merchant: 8 * 1_048_576, process: 48 * 1_048_576 };

/** How long a request may wait for a place, in milliseconds. At 75 ms a restart refused requests that were served otherwise. */
const maxWaitMs = 500;

/** Maximum number of requests of a merchant that wait for a place. */
const maxWaiting = 256;

/** Of bodies with more bytes one is validated at a time: several would keep small requests from the event loop. */
const largeBytes = 65_536;

/** Opens the gate of a process that handles up to `permits` requests at a time. Merchants that wait alternate. */
export function openGate(permits: number): Gate {
  const shares = new Map<string, number>();
  let reserved = 0;
  const large = openSemaphore({ permits: () => 1 });
  /** The requests that wait for a place, by merchant. The first merchant is the next one. */
  const queues = new Map<string, Set<() => void>>();
  let inProgress = 0;

  const admitNext = () => {
    for (const [merchantId, queue] of queues) {
      if (inProgress >= permits) return;
      const [admit] = queue;
      if (admit) queue.delete(admit);
      // A merchant that is added again becomes the last one.
      queues.delete(merchantId);
      if (queue.size > 0) queues.set(merchantId, queue);
      inProgress += 1;
      admit?.();
    }
  };
  const leave = () => {
    inProgress -= 1;
    admitNext();
  };
  const acquirePermit = (merchantId: string) =>
    new Promise<void>((resolve, reject) => {
      const queue = queues.get(merchantId) ?? new Set();
      queues.set(merchantId, queue);
      const timer = setTimeout(() => {
        queue.delete(admit);
        if (queue.size === 0 && queues.get(merchantId) === queue) queues.delete(merchantId);
        reject(overloaded());
      }, maxWaitMs);
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      queue.add(admit);
      admitNext();
    });

  return {
    reserved: () => reserved,
    inProgress: () => inProgress,
    waiting: () => [...queues.values()].reduce((sum, { size }) => sum + size, 0),
    check(merchantId) {
      if ((queues.get(merchantId)?.size ?? 0) >= maxWaiting) throw overloaded();
    },
    reserve({ merchantId, kind }, bytes) {
      // Public keys are in every page of a shop: they must not use up the share of its server.
      const share = `${kind} ${merchantId}`;
      const held = shares.get(share) ?? 0;
      if (held + bytes > byteLimits.merchant) throw shareExceeded();
      if (reserved + bytes > byteLimits.process) throw bytesExceeded();
      let own = 0;
      const change = (to: number) => {
        const total = (shares.get(share) ?? 0) + to - own;
        reserved += to - own;
        own = to;
        if (total > 0) shares.set(share, total);
        else shares.delete(share);
      };
      change(bytes);
      return { reduceTo: change };
    },
    async enter(merchantId, bytes) {
      // This wait is bounded by the bytes that are reserved, and a merchant delays mostly itself.
      const validated = bytes > largeBytes ? await large.acquire(merchantId) : () => {};
      try {
        await acquirePermit(merchantId);
      } catch (error) {
        validated();
        throw error;
      }
      const end = once(() => {
        validated();
        leave();
      });
      return { validated, end };
    },
  };
}

function once(call: () => void): () => void {
  let called = false;
  return () => {
    if (!called) call();
    called = true;
  };
}

function shareExceeded() {
  return rateLimited(
    `The requests in progress with a kind of key may hold ${byteLimits.merchant} bytes. Send fewer requests at the same time, or smaller ones.`,
    1,
    'merchant_body_budget',
  );
}

function bytesExceeded() {
  const error = serviceUnavailable(
    'Too many request bodies are being read right now. Send the request again.',
  );
  error.refusal = 'body_budget';
  return error;
}
