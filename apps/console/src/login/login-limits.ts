import { createHmac } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Redis } from '@rewardhook/pipeline';
import { networkOf } from '@rewardhook/process';
import { ConsoleError } from '../http/console-error.ts';

/** How often something may be tried within so many seconds. */
export interface Limit {
  points: number;
  duration: number;
}

export type LimitName = keyof typeof usualLimits;

/** Tries of a password, by what they have in common, and sign-ups. */
export const usualLimits = {
  /** Of one e-mail from one address: somebody who has forgotten it. */
  pair: { points: 10, duration: 900 },
  /** From one address, whatever the e-mail: a list that is tried out. */
  address: { points: 100, duration: 900 },
  /** Of one e-mail from wherever: many machines. Its owner is locked out too, for an hour at most. */
  email: { points: 100, duration: 3_600 },
  /** Merchants from one address. */
  signUp: { points: 10, duration: 3_600 },
} satisfies Record<string, Limit>;

/** Keeps guessing slow. All @throws ConsoleError `rate_limited` */
export interface LoginLimits {
  /** Counts a try before the password is looked at, so that tries at the same moment count too. */
  tryPassword(address: string, email: string): Promise<void>;
  /** The password was right: what was counted for this e-mail at this address is forgotten. */
  forget(address: string, email: string): Promise<void>;
  trySignUp(address: string): Promise<void>;
}

/**
 * Opens the limits, counted in Redis for all processes together. While Redis is away each process counts by itself:
 * people can still sign in, and guessing is still slow.
 */
export function openLoginLimits(options: {
  redis: Redis;
  prefix: string;
  secretsKey: string;
  limits?: Record<LimitName, Limit>;
}): LoginLimits {
  const { redis, prefix, secretsKey, limits = usualLimits } = options;
  const open = (name: LimitName): RateLimiterAbstract =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `${prefix}:login:${name}`,
      ...limits[name],
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, ...limits[name] }),
    });
  const limiters = {
    pair: open('pair'),
    address: open('address'),
    email: open('email'),
    signUp: open('signUp'),
  };
  // Neither addresses nor e-mails can be read in Redis.
  const key = createHmac('sha256', secretsKey).update('addresses and e-mails of login limits').digest();
  const hidden = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  const ofAddress = (address: string) => hidden(networkOf(address));
  const ofPair = (address: string, email: string) => `${ofAddress(address)}:${hidden(email)}`;
  return {
    async tryPassword(address, email) {
      // One after the other: what one address may not try any more does not count against the e-mail's owner.
      await take(limiters.pair, ofPair(address, email));
      await take(limiters.address, ofAddress(address));
      await take(limiters.email, hidden(email));
    },
    async forget(address, email) {
      // A count that is forgotten late harms nobody.
      await limiters.pair.delete(ofPair(address, email)).catch(() => undefined);
    },
    trySignUp: (address) => take(limiters.signUp, ofAddress(address)),
  };
}

async function take(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new ConsoleError('rate_limited', 'That was tried too often. Wait a while.', {
      retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
    });
  }
}
