import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Redis } from '@rewardhook/pipeline';
import { openLoginLimitKeys } from '@rewardhook/process';
import { rateLimited } from '../http/console-error.ts';

/** How often something may be tried within so many seconds. */
export interface Limit {
  points: number;
  duration: number;
}

export type LimitName = keyof typeof usualLimits;

/** Tries of a password, sign-ups and mails, by what they have in common. */
export const usualLimits = {
  /** From one browser that this account has signed in with before. None of the following three counts there. */
  device: { points: 10, duration: 900 },
  /** Of one e-mail from one address: somebody who has forgotten the password. */
  pair: { points: 10, duration: 900 },
  /** From one address, whatever the e-mail: a list that is tried out. */
  address: { points: 100, duration: 900 },
  /** Of one e-mail from any address: many machines. Its owner is locked out on new devices too, for an hour at most. */
  email: { points: 100, duration: 3_600 },
  /** Accounts and merchants from one address. */
  signUp: { points: 10, duration: 3_600 },
  /** Mails that one address asks for, to any recipient. */
  mailFrom: { points: 20, duration: 3_600 },
  /** Mails to one recipient. The link of the last one is good for longer than this counts. */
  signUpTo: { points: 3, duration: 86_400 },
  resetTo: { points: 3, duration: 3_600 },
  inviteTo: { points: 3, duration: 86_400 },
  contactTo: { points: 3, duration: 86_400 },
} satisfies Record<string, Limit>;

/** What a mail is sent for, with a limit of its own for each recipient. */
export type MailLimitName = 'signUpTo' | 'resetTo' | 'inviteTo' | 'contactTo';

/** Keeps guessing slow and mailboxes of others empty. All @throws ConsoleError `rate_limited` */
export interface LoginLimits {
  /**
   * Counts a try before the password is verified, so that tries at the same moment count too. `device` is the id of a
   * browser that this e-mail has signed in with before.
   */
  tryPassword(address: string, email: string, device: string | undefined): Promise<void>;
  /** The password was right: what was counted for this e-mail at this address and device is forgotten. */
  forget(address: string, email: string, device: string | undefined): Promise<void>;
  /** The owner of the e-mail has proved that it is theirs: what others have counted up is forgotten. */
  unlock(email: string): Promise<void>;
  trySignUp(address: string): Promise<void>;
  /** Counts a mail before it is queued, in the same way for an e-mail that has an account and one that has none. */
  tryMail(limit: MailLimitName, address: string, recipient: string): Promise<void>;
}

/**
 * Opens the limits, counted in Redis for all processes together. While Redis is away each process counts by itself:
 * people can still sign in, and guessing is still slow.
 */
export function openLoginLimits(options: {
  redis: Redis;
  prefix: string;
  secretsKey: string;
  limits?: Partial<Record<LimitName, Limit>>;
}): LoginLimits {
  const { redis, prefix, secretsKey } = options;
  const limits = { ...usualLimits, ...options.limits };
  const keys = openLoginLimitKeys(prefix, secretsKey);
  const open = (name: LimitName): RateLimiterAbstract =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: keys.prefixOf(name),
      ...limits[name],
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, ...limits[name] }),
    });
  const limiters = Object.fromEntries(
    (Object.keys(usualLimits) as LimitName[]).map((name) => [name, open(name)]),
  ) as Record<LimitName, RateLimiterAbstract>;
  // A count that is forgotten late harms nobody.
  const remove = (limiter: RateLimiterAbstract, key: string) => limiter.delete(key).catch(() => undefined);
  return {
    async tryPassword(address, email, device) {
      if (device !== undefined) return take(limiters.device, device);
      // One after the other: what one address may not try any more does not count against the e-mail's owner.
      await take(limiters.pair, keys.pair(address, email));
      await take(limiters.address, keys.address(address));
      await take(limiters.email, keys.email(email));
    },
    async forget(address, email, device) {
      if (device !== undefined) await remove(limiters.device, device);
      await remove(limiters.pair, keys.pair(address, email));
    },
    async unlock(email) {
      await remove(limiters.email, keys.email(email));
    },
    trySignUp: (address) => take(limiters.signUp, keys.address(address)),
    async tryMail(limit, address, recipient) {
      await take(limiters.mailFrom, keys.address(address));
      await take(limiters[limit], keys.email(recipient));
    },
  };
}

async function take(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw rateLimited(refusal.msBeforeNext);
  }
}
