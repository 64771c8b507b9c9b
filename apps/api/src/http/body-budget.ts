import type { KeyOwner } from '@rewardhook/database';
import { openSemaphore } from '@rewardhook/process';
import type { Semaphore } from '@rewardhook/process';
import { rateLimited, serviceUnavailable } from './api-error.ts';
import type { ApiError } from './api-error.ts';

/** Maximum number of decompressed bytes of request bodies in flight: being read, or of requests being handled. */
export interface BodyLimits {
  /** Of this process. */
  process: number;
  /** Of all keys of one kind of a merchant together, so that more keys do not get more. */
  key: number;
}

/** The part of the budget that one request holds. It grows with the bytes that were read. */
export interface BodyReservation {
  /**
   * Adds bytes that have arrived. Returns a promise when the body becomes large: the rest of it may be read when the promise
   * is fulfilled.
   * @throws ApiError `rate_limited` when the share of the key is used up, `service_unavailable` when the budget is
   */
  grow(bytes: number): Promise<void> | undefined;
  /** The body is complete. From now on it is not evicted. */
  complete(): void;
  /** May be called more than once. */
  release(): void;
}

/** Limits the memory that request bodies take, and how many large ones are read at a time. */
export interface BodyBudget {
  /** `onEvict` is called when a body that is still being read must be dropped; its bytes are released already. */
  reserve(owner: Pick<KeyOwner, 'merchantId' | 'kind'>, onEvict: (reason: ApiError) => void): BodyReservation;
  /** Bytes in flight. */
  used(): number;
}

/** What the keys of one kind of a merchant hold. */
interface Share {
  /** Bytes in flight. */
  held: number;
  /** The functions that evict the bodies that are still being read, oldest first. */
  evictable: Set<() => void>;
  /** Number of large bodies that wait for a permit. */
  waiting: number;
}

/** A body with more bytes than this is large: the rest of it is read with a permit. */
const largeBytes = 65_536;

/**
 * Maximum number of requests with a permit: one is read while another is validated and a third is enqueued. More would not be faster,
 * but use more memory, and keep the event loop from small requests when megabytes arrive at once. The clients of the others
 * wait, because TCP slows them down; merchants alternate.
 */
const permits = 3;

/** How long a body may take to be read with a permit, in milliseconds. The rest of a slower one is read without. */
const maxReadingMs = 200;

/** Maximum number of large bodies of a share that wait for a permit, so that their first bytes do not use up the share. */
const maxWaiting = 16;

/** How long a body may wait for a permit, in milliseconds. */
const maxWaitingMs = 10_000;

/**
 * Opens the budget of a process. When it is used up, the largest share loses its oldest body that is still being read.
 * So clients that send slowly or stall cannot block others, however many merchants they belong to.
 */
export function openBodyBudget(limits: BodyLimits): BodyBudget {
  let used = 0;
  const shares = new Map<string, Share>();
  const semaphore = openSemaphore({ permits: () => permits });

  /** Evicts bodies of larger shares until `bytes` fit for this share. Returns whether they fit. */
  function makeRoom(bytes: number, requesting: Share): boolean {
    while (used + bytes > limits.process) {
      let largest: Share | undefined;
      for (const share of shares.values())
        if (share.evictable.size > 0 && share.held > (largest?.held ?? requesting.held + bytes))
          largest = share;
      const [evictOldest] = largest?.evictable ?? [];
      if (!evictOldest) return false;
      evictOldest();
    }
    return true;
  }

  return {
    used: () => used,
    reserve({ merchantId, kind }, onEvict) {
      const key = `${kind} ${merchantId}`;
      const currentShare = () => shares.get(key) ?? { held: 0, evictable: new Set(), waiting: 0 };
      let held = 0;
      const release = () => {
        permit.end();
        const share = currentShare();
        share.evictable.delete(evict);
        share.held -= held;
        used -= held;
        held = 0;
        if (share.held === 0) shares.delete(key);
      };
      const evict = () => {
        release();
        onEvict(budgetExceeded());
      };
      const permit = openPermit(semaphore, merchantId, evict);
      const waitForPermit = async (share: Share) => {
        share.waiting += 1;
        await permit.acquire();
        share.waiting -= 1;
      };
      return {
        grow(bytes) {
          const share = currentShare();
          if (share.held + bytes > limits.key) throw shareExceeded(limits.key);
          const becomesLarge = held <= largeBytes && held + bytes > largeBytes;
          if (becomesLarge && share.waiting >= maxWaiting) throw tooManyLarge();
          if (!makeRoom(bytes, share)) throw budgetExceeded();
          shares.set(key, share);
          held += bytes;
          used += bytes;
          share.held += bytes;
          share.evictable.add(evict);
          return becomesLarge ? waitForPermit(share) : undefined;
        },
        complete() {
          permit.keep();
          currentShare().evictable.delete(evict);
        },
        release,
      };
    },
  };
}

/** The permit of one body. `onLate` is called when it has waited too long. */
function openPermit(semaphore: Semaphore, merchantId: string, onLate: () => void) {
  let ended = false;
  let release = () => {};
  let timer: NodeJS.Timeout | undefined;
  return {
    async acquire(): Promise<void> {
      timer = setTimeout(onLate, maxWaitingMs);
      release = await semaphore.acquire(merchantId);
      clearTimeout(timer);
      if (ended) release();
      else timer = setTimeout(release, maxReadingMs);
    },
    /** Keeps the permit, if there still is one, until the request is handled: the body is complete. */
    keep(): void {
      clearTimeout(timer);
    },
    end(): void {
      ended = true;
      clearTimeout(timer);
      release();
    },
  };
}

function shareExceeded(bytes: number): ApiError {
  return rateLimited(
    `The requests of a key may hold ${bytes} bytes at a time. Send fewer requests at the same time, or smaller ones.`,
    1,
    'merchant_body_budget',
  );
}

function tooManyLarge(): ApiError {
  return rateLimited(
    `At most ${maxWaiting} requests of a key with more than ${largeBytes} bytes may wait to be read. Send fewer requests at the same time.`,
    1,
    'merchant_body_budget',
  );
}

function budgetExceeded(): ApiError {
  const error = serviceUnavailable(
    'Too many request bodies are being read right now. Send the request again.',
  );
  error.refusal = 'body_budget';
  return error;
}
