import type { RequestHandler } from 'express';
import { networkOf } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { Refusal } from '../http/refusal.ts';
import type { Role } from './accounts.ts';
import type { FailedLogins } from './failed-logins.ts';

/** Lets nobody in without a login (HTTP Basic); the role goes to `response.locals.role`. */
export function requireLogin(
  roleOf: (user: string, password: string) => Role | undefined,
  failed: FailedLogins,
  log: Logger,
): RequestHandler {
  return (request, response, next) => {
    // Behind a proxy that is trusted: where the request came from, not the proxy.
    const address = networkOf(request.ip ?? '');
    const seconds = failed.secondsToWait(address);
    if (seconds > 0) throw new Refusal('rate_limited', 'Too many failed logins. Try again later.', seconds);
    const given = readCredentials(request.get('authorization'));
    if (!given) throw new Refusal('login_required', 'Log in to see the queues.');
    const role = roleOf(given.user, given.password);
    if (!role) {
      failed.add(address);
      log.warn('a login failed', { address });
      throw new Refusal('login_required', 'Wrong user or password.');
    }
    response.locals['role'] = role;
    next();
  };
}

function readCredentials(header = ''): { user: string; password: string } | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(header)?.[1];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
