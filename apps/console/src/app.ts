import express from 'express';
import type { Express, RequestHandler } from 'express';
import { identifyRequest, warnAboutProxy } from '@rewardhook/process';
import type { ConsoleDependencies } from './dependencies.ts';
import { mountRoutes } from './http/mount-routes.ts';
import { refuseCrossSite } from './http/refuse-cross-site.ts';
import { renderError, renderNotFound } from './http/render-error.ts';
import { securityHeaders } from './http/security-headers.ts';
import { openReadSession } from './auth/signed-in.ts';
import { servePage } from './page/serve-page.ts';
import { routesOf } from './routes.ts';

/** The console: its API below /api/console, and its page at every other path. */
export function createApp(parts: ConsoleDependencies): Express {
  const { database, cookie, publicUrl, metrics, log } = parts;
  const { origin, protocol } = new URL(publicUrl);
  const keepInNoCache: RequestHandler = (_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustedProxies);
  app.use(
    identifyRequest,
    securityHeaders({ https: protocol === 'https:' }),
    warnAboutProxy({ trustedProxies: parts.trustedProxies, setting: 'CONSOLE_TRUST_PROXY' }, log),
  );
  app.use(
    '/api',
    keepInNoCache,
    refuseCrossSite(origin),
    express
      .Router()
      .use('/console', mountRoutes(routesOf(parts), openReadSession(database, cookie), metrics)),
    renderNotFound,
  );
  app.use(servePage(parts.pageFolder), renderNotFound, renderError(log));
  return app;
}
