import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Redis } from '@rewardhook/pipeline';
import { openLoginLimitKeys } from '@rewardhook/process';
import { rateLimited } from '../http/console-error.ts';

/** At most `points` attempts within `duration` seconds. */
export interface Limit {
  points: number;
  duration: number;
}

export type LimitName = keyof typeof defaultLimits;

/** The limits of password attempts, sign-ups and mails, each counted by its own key. */
export const defaultLimits = {
  /** From a browser that this account has signed in with before; the next three limits do not apply there. */
  device: { points: 10, duration: 900 },
  /** For one e-mail address from one IP address: a user who has forgotten the password. */
  pair: { points: 10, duration: 900 },
  /** From one IP address, for any e-mail address: an attacker who tries a list of accounts. */
  address: { points: 100, duration: 900 },
  /** For one e-mail address from any IP address: many machines. Locks the owner out of new devices too, for one hour at most. */
  email: { points: 100, duration: 3_600 },
  /** Accounts and merchants created from one IP address. */
  signUp: { points: 10, duration: 3_600 },
  /** Mails requested from one IP address, to any recipient. */
  mailFrom: { points: 20, duration: 3_600 },
  /** Mails to one recipient. The link in the last one is valid for longer than this limit counts. */
  signUpTo: { points: 3, duration: 86_400 },
  resetTo: { points: 3, duration: 3_600 },
  /** Mails of one merchant to one recipient, so that no merchant uses up what another one may send. */
  inviteTo: { points: 3, duration: 86_400 },
  contactTo: { points: 3, duration: 86_400 },
  /** Mails of all merchants together to one recipient: nobody is flooded by merchants that were created for it. */
  merchantsTo: { points: 30, duration: 86_400 },
} satisfies Record<string, Limit>;

/** The limits in metrics. */
const metricNames: Record<LimitName, string> = {
  device: 'sign_in',
  pair: 'sign_in',
  address: 'sign_in',
  email: 'sign_in',
  signUp: 'sign_up',
  mailFrom: 'mails',
  signUpTo: 'mails',
  resetTo: 'mails',
  inviteTo: 'mails',
  contactTo: 'mails',
  merchantsTo: 'mails',
};

/** The limits of mails to one recipient, by the purpose of the mail. */
export type MailLimitName = 'signUpTo' | 'resetTo';

/** The limits of mails of one merchant to one recipient, by the purpose of the mail. */
export type MerchantMailLimitName = 'inviteTo' | 'contactTo';

/** Limits the guessing of passwords and the mails to strangers. Every method @throws ConsoleError `rate_limited` */
export interface LoginLimits {
  /**
   * Counts an attempt before the password is verified, so that concurrent attempts count too. `device` is the id of a
   * browser that this e-mail address has signed in with before.
   */
  tryPassword(address: string, email: string, device: string | undefined): Promise<void>;
  /** After a right password: resets the counts of this e-mail address for this IP address and device. */
  forget(address: string, email: string, device: string | undefined): Promise<void>;
  /** After the owner has proved that the e-mail address is theirs: resets the count that others have caused. */
  unlock(email: string): Promise<void>;
  trySignUp(address: string): Promise<void>;
  /** Counts a mail before it is queued, whether or not the recipient has an account. */
  tryMail(limit: MailLimitName, address: string, recipient: string): Promise<void>;
  /** Counts a mail that a merchant sends, before it is queued. */
  tryMerchantMail(
    limit: MerchantMailLimitName,
    address: string,
    mail: { merchantId: string; recipient: string },
  ): Promise<void>;
}

/**
 * Opens the limits. They are counted in Redis for all processes. While Redis is unavailable each process counts in its
 * memory: users can still sign in, and guessing is still limited.
 */
export function openLoginLimits(options: {
  redis: Redis;
  prefix: string;
  secretsKey: string;
  limits?: Partial<Record<LimitName, Limit>>;
}): LoginLimits {
  const { redis, prefix, secretsKey } = options;
  const limits = { ...defaultLimits, ...options.limits };
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
    (Object.keys(defaultLimits) as LimitName[]).map((name) => [name, open(name)]),
  ) as Record<LimitName, RateLimiterAbstract>;
  const take = async (name: LimitName, key: string) => {
    try {
      await limiters[name].consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw rateLimited(refusal.msBeforeNext, metricNames[name]);
    }
  };
  // It does no harm if a count is reset late.
  const remove = (limiter: RateLimiterAbstract, key: string) => limiter.delete(key).catch(() => undefined);
  return {
    async tryPassword(address, email, device) {
      if (device !== undefined) return take('device', device);
      // In this order: an attempt that is refused for its IP address does not count against the owner of the e-mail address.
      await take('pair', keys.pair(address, email));
      await take('address', keys.address(address));
      await take('email', keys.email(email));
    },
    async forget(address, email, device) {
      if (device !== undefined) await remove(limiters.device, device);
      await remove(limiters.pair, keys.pair(address, email));
    },
    async unlock(email) {
      await remove(limiters.email, keys.email(email));
    },
    trySignUp: (address) => take('signUp', keys.address(address)),
    async tryMail(limit, address, recipient) {
      await take('mailFrom', keys.address(address));
      await take(limit, keys.email(recipient));
    },
    async tryMerchantMail(limit, address, { merchantId, recipient }) {
      await take('mailFrom', keys.address(address));
      await take(limit, keys.mail(merchantId, recipient));
      await take('merchantsTo', keys.email(recipient));
    },
  };
}
