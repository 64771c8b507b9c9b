import express from 'express';
import type { Express, RequestHandler } from 'express';
import {
  noAccessLog,
  noTracing,
  openSemaphore,
  recordRequests,
  refuseCrossSite,
  warnAboutProxy,
  readForwardedAddress,
} from '@rewardhook/process';
import type { AccessLog, Logger, Tracing } from '@rewardhook/process';
import { createBoard } from './board/create-board.ts';
import type { Queues } from './board/board-names.ts';
import { limitPages } from './board/limit-pages.ts';
import { retryAll } from './board/retry-all.ts';
import { logChanges } from './http/log-changes.ts';
import { redisUnavailable, renderError, renderNotFound } from './http/render-error.ts';
import { DashboardError } from './http/dashboard-error.ts';
import { securityHeaders } from './http/security-headers.ts';
import { openAccounts } from './auth/accounts.ts';
import type { Account, Role } from './auth/accounts.ts';
import { requireLogin } from './auth/require-login.ts';

export interface DashboardDependencies {
  /** Grows while the dashboard runs, when another process uses more shards. */
  queues: Queues;
  accounts: Account[];
  /** Whether Redis is connected: a queue that was never connected would wait for it forever. */
  isRedisReady(): boolean;
  /** The number of trusted proxies in front of this process; each adds to X-Forwarded-For. */
  trustedProxies: number;
  /** The URL of the console for browsers, without a slash at the end; undefined where it is not known: there are no links to it. */
  consoleUrl?: string | undefined;
  accessLog?: AccessLog;
  tracing?: Tracing;
  log: Logger;
}

/** Lets one request after the other read jobs, which can have 2 MiB each. */
function oneAtATime(): RequestHandler {
  const reading = openSemaphore({ permits: () => 1 });
  return async (_request, response, next) => {
    const release = await reading.acquire();
    if (response.destroyed) return release();
    response.once('close', release);
    next();
  };
}

/** The dashboard. Every request requires a login; the role selects the board. */
export function createApp({
  queues,
  accounts,
  isRedisReady,
  trustedProxies,
  consoleUrl,
  accessLog = noAccessLog,
  tracing = noTracing,
  log,
}: DashboardDependencies): Express {
  let built = 0;
  let boards: Record<Role, Express>;
  const boardOf = (role: Role): Express => {
    if (built !== queues.length) {
      boards = {
        operator: createBoard(queues, 'operator', consoleUrl),
        viewer: createBoard(queues, 'viewer', consoleUrl),
      };
      built = queues.length;
    }
    return boards[role];
  };
  const requireRedis: RequestHandler = (_request, _response, next) => {
    if (!isRedisReady()) throw redisUnavailable();
    next();
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies);
  app.use(
    readForwardedAddress(trustedProxies),
    recordRequests({ accessLog, tracing }),
    securityHeaders,
    warnAboutProxy({ trustedProxies, setting: 'DASHBOARD_TRUST_PROXY' }, log),
    requireLogin(openAccounts(accounts), log),
    logChanges(log),
    refuseCrossSite({
      refuse: () => new DashboardError('cross_site', 'Changes from another site are not allowed.'),
    }),
  );
  app.use('/api', requireRedis, oneAtATime());
  app.use('/api/queues', limitPages);
  app.put('/api/queues/:queueName/retry/failed', retryAll(queues));
  app.use((request, response, next) => boardOf(response.locals['role'] as Role)(request, response, next));
  app.use(renderNotFound, renderError(log));
  return app;
}
