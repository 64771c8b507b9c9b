import express from 'express';
import type { Express, RequestHandler } from 'express';
import { warnAboutProxy } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { createBoard } from './board/create-board.ts';
import type { Queues } from './board/create-board.ts';
import { logChanges } from './http/log-changes.ts';
import { redisUnavailable, renderError, renderNotFound } from './http/render-error.ts';
import { refuseCrossSite } from './http/refuse-cross-site.ts';
import { securityHeaders } from './http/security-headers.ts';
import { openAccounts } from './auth/accounts.ts';
import type { Account, Role } from './auth/accounts.ts';
import { countFailedLogins } from './auth/failed-logins.ts';
import { requireLogin } from './auth/require-login.ts';

export interface DashboardDependencies {
  queues: Queues;
  accounts: Account[];
  /** Tells whether Redis can be asked: a queue that was never connected would wait for it without end. */
  isRedisReady(): boolean;
  /** How many proxies of ours stand before this process, each adding to X-Forwarded-For. */
  trustedProxies: number;
  log: Logger;
}

/** The dashboard: nothing of it is open without a login, and the role chooses the board. */
export function createApp({
  queues,
  accounts,
  isRedisReady,
  trustedProxies,
  log,
}: DashboardDependencies): Express {
  const boards: Record<Role, Express> = {
    operator: createBoard(queues, 'operator'),
    viewer: createBoard(queues, 'viewer'),
  };
  const requireRedis: RequestHandler = (_request, _response, next) => {
    if (!isRedisReady()) throw redisUnavailable();
    next();
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies);
  app.use(
    securityHeaders,
    warnAboutProxy({ trustedProxies, setting: 'DASHBOARD_TRUST_PROXY' }, log),
    requireLogin(openAccounts(accounts), countFailedLogins(), log),
    logChanges(log),
    refuseCrossSite,
  );
  app.use('/api', requireRedis);
  app.use((request, response, next) => boards[response.locals['role'] as Role](request, response, next));
  app.use(renderNotFound, renderError(log));
  return app;
}
