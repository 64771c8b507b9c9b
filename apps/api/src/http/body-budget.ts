import type { KeyOwner } from '@rewardhook/database';
import { openSemaphore } from '@rewardhook/process';
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
   * Adds bytes that have arrived. Returns a promise when the body becomes large: the rest of it may be read when that is
   * fulfilled.
   * @throws ApiError `rate_limited` when the share of the key is used up, `service_unavailable` when the budget is
   */
  grow(bytes: number): Promise<void> | undefined;
  /** The body is complete. From now on it is not evicted. */
  complete(): void;
  /** May be called more than once. */
  release(): void;
}

/** Limits the memory that request bodies take, and how many large ones are read and handled at a time. */
export interface BodyBudget {
  /** `onEvict` is called when a body that is still being read must be dropped; its bytes are released already. */
  reserve(owner: Pick<KeyOwner, 'merchantId' | 'kind'>, onEvict: (reason: ApiError) => void): BodyReservation;
  /** Bytes in flight. */
  used(): number;
}

/** The bytes that the keys of one kind of a merchant hold, and the functions that evict their unread bodies, oldest first. */
interface Share {
  held: number;
  evictable: Set<() => void>;
}

/** A body with more bytes than this is large. */
const largeBytes = 65_536;

/**
 * The most requests with large bodies that are read and handled at a time: one is read while another is validated and a
 * third is enqueued. More would not be faster, but use more memory, and keep the event loop from small requests when
 * megabytes arrive at once. The clients of others wait, because TCP slows them down; merchants alternate.
 */
const largeBodiesAtATime = 3;

/** A large body that takes longer to read, in milliseconds, does not keep others from being read any more. */
const maxReadingMs = 500;

/**
 * Opens the budget of a process. When it is used up, the largest share loses its oldest body that is still being read.
 * So clients that send slowly or stall cannot block others, however many merchants they belong to.
 */
export function openBodyBudget(limits: BodyLimits): BodyBudget {
  let used = 0;
  const shares = new Map<string, Share>();
  const largeBodies = openSemaphore({ permits: () => largeBodiesAtATime });

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
      const currentShare = () => shares.get(key) ?? { held: 0, evictable: new Set() };
      let held = 0;
      let released = false;
      let leave = () => {};
      let reading: NodeJS.Timeout | undefined;
      const enter = async () => {
        leave = await largeBodies.acquire(merchantId);
        if (released) leave();
        else reading = setTimeout(leave, maxReadingMs);
      };
      const release = () => {
        released = true;
        clearTimeout(reading);
        leave();
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
      return {
        grow(bytes) {
          const share = currentShare();
          if (share.held + bytes > limits.key) throw shareExceeded(limits.key);
          if (!makeRoom(bytes, share)) throw budgetExceeded();
          shares.set(key, share);
          held += bytes;
          used += bytes;
          share.held += bytes;
          share.evictable.add(evict);
          return held > largeBytes && held - bytes <= largeBytes ? enter() : undefined;
        },
        complete() {
          clearTimeout(reading);
          currentShare().evictable.delete(evict);
        },
        release,
      };
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

function budgetExceeded(): ApiError {
  const error = serviceUnavailable(
    'Too many request bodies are being read right now. Send the request again.',
  );
  error.refusal = 'body_budget';
  return error;
}
