import type { KeyOwner } from '@rewardhook/database';
import { rateLimited, serviceUnavailable } from './api-error.ts';
import type { ApiError } from './api-error.ts';

/** Most bytes of bodies in flight, unpacked: those that are being read, and those whose request is being handled. */
export interface BodyLimits {
  /** In this process. */
  process: number;
  /** With the keys of one kind of one merchant, so that more keys get no more. */
  key: number;
}

/** The part of the budget that one request uses. It grows with what was read: a slow client holds what it sent. */
export interface BodyReservation {
  /** @throws ApiError `rate_limited` when the key has used up its share, `service_unavailable` when all is used up */
  grow(bytes: number): void;
  /** The body is complete: its request is handled, and is not evicted any more. */
  complete(): void;
  /** May be called more than once. */
  release(): void;
}

/** Bounds the memory that bodies take. */
export interface BodyBudget {
  /** `onEvict` is called when a body that is still being read must be dropped; its bytes count no more by then. */
  reserve(owner: Pick<KeyOwner, 'merchantId' | 'kind'>, onEvict: (reason: ApiError) => void): BodyReservation;
  /** Bytes in flight. */
  used(): number;
}

/** What the keys of one kind of one merchant hold, and how to evict what they are still sending, oldest first. */
interface Share {
  held: number;
  evictable: Set<() => void>;
}

/**
 * Opens the budget of a process. When it is used up, whoever holds the most loses the oldest body that is still being
 * read: clients that send slowly or stall cannot keep others out, however many merchants they belong to.
 */
export function openBodyBudget(limits: BodyLimits): BodyBudget {
  let used = 0;
  const shares = new Map<string, Share>();

  /** Evicts bodies until the given number of bytes fits, while other shares hold more than the asking one would. */
  function makeRoom(bytes: number, asking: Share): boolean {
    while (used + bytes > limits.process) {
      let largest: Share | undefined;
      for (const share of shares.values())
        if (share.evictable.size > 0 && share.held > (largest?.held ?? asking.held + bytes)) largest = share;
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
      const shareNow = () => shares.get(key) ?? { held: 0, evictable: new Set() };
      let held = 0;
      const release = () => {
        const share = shareNow();
        share.evictable.delete(evict);
        share.held -= held;
        used -= held;
        held = 0;
        if (share.held === 0) shares.delete(key);
      };
      const evict = () => {
        release();
        onEvict(tooMuch());
      };
      return {
        grow(bytes) {
          const share = shareNow();
          if (share.held + bytes > limits.key)
            throw rateLimited(
              `The requests of this key hold ${limits.key} bytes at a time. Send fewer at the same time, or smaller ones.`,
              1,
            );
          if (!makeRoom(bytes, share)) throw tooMuch();
          shares.set(key, share);
          held += bytes;
          used += bytes;
          share.held += bytes;
          share.evictable.add(evict);
        },
        complete: () => void shareNow().evictable.delete(evict),
        release,
      };
    },
  };
}

function tooMuch(): ApiError {
  return serviceUnavailable('Too much is being read right now. Send it again.');
}
