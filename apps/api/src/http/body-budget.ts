import type { KeyOwner } from '@rewardhook/database';
import { ApiError, rateLimited } from './api-error.ts';

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
  /** May be called more than once. */
  release(): void;
}

/** Bounds the memory that bodies take. */
export interface BodyBudget {
  reserve(owner: Pick<KeyOwner, 'merchantId' | 'kind'>): BodyReservation;
  /** Bytes in flight. */
  used(): number;
}

/** Opens the budget of a process. */
export function openBodyBudget(limits: BodyLimits): BodyBudget {
  let used = 0;
  const byKey = new Map<string, number>();
  return {
    used: () => used,
    reserve({ merchantId, kind }) {
      const key = `${kind} ${merchantId}`;
      let held = 0;
      return {
        grow(bytes) {
          const ofKey = byKey.get(key) ?? 0;
          if (ofKey + bytes > limits.key)
            throw rateLimited(
              `The requests of this key hold ${limits.key} bytes at a time. Send fewer at the same time, or smaller ones.`,
              1,
            );
          if (used + bytes > limits.process)
            throw new ApiError('service_unavailable', 'Too much is being read right now. Send it again.');
          held += bytes;
          used += bytes;
          byKey.set(key, ofKey + bytes);
        },
        release() {
          const left = (byKey.get(key) ?? 0) - held;
          if (left > 0) byKey.set(key, left);
          else byKey.delete(key);
          used -= held;
          held = 0;
        },
      };
    },
  };
}
