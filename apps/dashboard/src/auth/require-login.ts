import type { RequestHandler } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { DashboardError } from '../http/dashboard-error.ts';
import type { Account } from './accounts.ts';

/** After this number of failed logins within this number of seconds, an address is refused. */
const failures = { points: 10, duration: 60 };

/**
 * Requires a login (HTTP Basic) for every request; the role and the user of the account go to `response.locals`. Too many failures lock an
 * address out, also with the right password.
 */
export function requireLogin(
  accountOf: (user: string, password: string) => Pick<Account, 'role' | 'user'> | undefined,
  log: Logger,
): RequestHandler {
  const limiter = new RateLimiterMemory(failures);
  return async (request, response, next) => {
    // Behind a trusted proxy this is the address of the client, not of the proxy.
    const address = networkOf(request.ip ?? '');
    const failed = await limiter.get(address);
    if (failed && failed.consumedPoints >= failures.points) {
      const seconds = Math.max(1, Math.ceil(failed.msBeforeNext / 1_000));
      throw new DashboardError('rate_limited', 'Too many failed logins. Try again later.', seconds);
    }
    const given = readCredentials(request.get('authorization'));
    if (!given) throw new DashboardError('login_required', 'Log in to see the queues.');
    const account = accountOf(given.user, given.password);
    if (!account) {
      await limiter.penalty(address);
      log.warn('login failed', { address });
      throw new DashboardError('login_required', 'Wrong user or password.');
    }
    response.locals['role'] = account.role;
    response.locals['account'] = account.user;
    next();
  };
}

function readCredentials(header = ''): { user: string; password: string } | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(header)?.[1];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
