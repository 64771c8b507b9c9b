import type { KeyOwner } from '@rewardhook/database';
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
   * @throws ApiError `service_unavailable` after five seconds
   */
  enter(merchantId: string, bytes: number): Promise<Entry>;
  /**
   * Called before a body is read, with the bytes that it announces.
   * @throws ApiError `service_unavailable` while the requests of the merchant with bodies of that size have waited too long
   */
  check(merchantId: string, bytes: number): void;
  reserved(): number;
  inProgress(): number;
  waiting(): number;
}

/** Bytes of bodies that are read or handled: of the keys of one kind of a merchant, and of all. */
const byteLimits = { merchant: 8 * 1_048_576, process: 32 * 1_048_576 };

/** How long a request whose body was read may wait for a place, in milliseconds: refusing it wastes what was read. Clients wait longer. */
const maxWaitMs = 5_000;

/**
 * While this many requests are in a queue and the oldest has waited this long, the next ones are refused before their bodies are
 * read. Neither suffices alone: a burst is served in time, and a pause of Redis or of a process that has just started makes few
 * requests wait long.
 */
const overload = { requests: 64, oldestMs: 250 };

/** Of bodies with more bytes one is validated at a time: several would keep small requests from the event loop. */
const largeBytes = 65_536;

/** Requests of a merchant wait in two queues, so that the small ones do not wait for its large ones. */
const queueOf = (merchantId: string, bytes: number) =>
  `${merchantId} ${bytes > largeBytes ? 'large' : 'small'}`;

/** A request that waits for a place. */
interface Waiting {
  admit(): void;
  /** `performance.now()` of its arrival. */
  since: number;
  isLarge: boolean;
}

/** Opens the gate of a process that handles up to `permits` requests at a time. Merchants that wait alternate. */
export function openGate(permits: number): Gate {
  const shares = new Map<string, number>();
  let reserved = 0;
  /** The requests that wait for a place, by queue. The first queue is the next one. */
  const queues = new Map<string, Set<Waiting>>();
  let inProgress = 0;
  /** Whether a large body is being validated. */
  let validatesLarge = false;

  const remove = (name: string, queue: Set<Waiting>, request: Waiting) => {
    queue.delete(request);
    if (queue.size === 0) queues.delete(name);
  };
  const admitOne = (): boolean => {
    for (const [name, queue] of queues) {
      const [request] = queue;
      if (inProgress >= permits) return false;
      if (!request || (request.isLarge && validatesLarge)) continue;
      remove(name, queue, request);
      // A queue that is added again becomes the last one.
      if (queues.delete(name)) queues.set(name, queue);
      inProgress += 1;
      validatesLarge ||= request.isLarge;
      request.admit();
      return true;
    }
    return false;
  };
  let isScheduled = false;
  /** Admits one request per turn of the event loop. A turn accepts one connection only, so long turns would keep new clients waiting. */
  const admitNext = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (admitOne()) admitNext();
    });
  };
  const enqueue = (name: string, isLarge: boolean) =>
    new Promise<void>((resolve, reject) => {
      const queue = queues.get(name) ?? new Set();
      queues.set(name, queue);
      const request = { isLarge, since: performance.now(), admit };
      const timer = setTimeout(() => {
        remove(name, queue, request);
        reject(overloaded());
      }, maxWaitMs);
      function admit() {
        clearTimeout(timer);
        resolve();
      }
      queue.add(request);
      admitNext();
    });

  return {
    reserved: () => reserved,
    inProgress: () => inProgress,
    waiting: () => [...queues.values()].reduce((sum, { size }) => sum + size, 0),
    check(merchantId, bytes) {
      const queue = queues.get(queueOf(merchantId, bytes));
      if (!queue || queue.size < overload.requests) return;
      const [oldest] = queue;
      if (oldest && performance.now() - oldest.since >= overload.oldestMs) throw overloaded();
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
      const isLarge = bytes > largeBytes;
      await enqueue(queueOf(merchantId, bytes), isLarge);
      const validated = once(() => {
        if (isLarge) validatesLarge = false;
        admitNext();
      });
      const end = once(() => {
        inProgress -= 1;
        validated();
        admitNext();
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
  error.rejectionCause = 'body_budget';
  return error;
}
