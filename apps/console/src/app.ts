import express from 'express';
import type { Express, RequestHandler } from 'express';
import { readForwardedAddress, recordRequests, refuseCrossSite, warnAboutProxy } from '@rewardhook/process';
import type { ConsoleDependencies } from './dependencies.ts';
import { ensureTestSide, findTestSide } from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import { refuse } from './http/console-error.ts';
import { mountRoutes } from './http/mount-routes.ts';
import { limitAddress } from './http/limit-address.ts';
import { renderError, renderNotFound } from './http/render-error.ts';
import { securityHeaders } from './http/security-headers.ts';
import { openReadSession } from './account/sessions.ts';
import { servePage } from './page/serve-page.ts';
import { createRoutes } from './create-routes.ts';
import { selectSide } from './test-side/select-side.ts';

/** The console: its API below /api/console, and its page at all other paths. */
export function createApp(dependencies: ConsoleDependencies): Express {
  const { database, cookie, publicUrl, metrics, accessLog, tracing, log, trustedProxies } = dependencies;
  const { origin, protocol } = new URL(publicUrl);
  const noStore: RequestHandler = (_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies);
  app.use(
    readForwardedAddress(trustedProxies),
    recordRequests({ accessLog, tracing }),
    securityHeaders({ https: protocol === 'https:' }),
    warnAboutProxy({ trustedProxies, setting: 'CONSOLE_TRUST_PROXY' }, log),
  );
  app.use(
    '/api',
    noStore,
    refuseCrossSite({
      publicOrigin: origin,
      requiredHeader: { name: 'x-rewardhook-console', value: '1' },
      refuse: () => refuse('csrf_refused'),
    }),
    express.Router().use(
      '/console',
      selectSide,
      mountRoutes(createRoutes(dependencies), openReadSession(database, cookie), {
        database,
        testSides: {
          find: (liveMerchantId) => findTestSide(database, liveMerchantId),
          async create(liveMerchantId, by) {
            const { sealer } = dependencies;
            const creation = { sealer, newSigningSecret: generateSigningSecret, by };
            const id = await ensureTestSide(database, liveMerchantId, creation);
            if (id === undefined) throw new Error('the merchant of the session does not exist');
            return id;
          },
        },
        metrics,
        limitPublic: limitAddress(
          dependencies.openRateLimit,
          dependencies.hashAddress,
          dependencies.addressRequestsPerSecond,
        ),
        mayRecordUnauthenticated: dependencies.mayRecordUnauthenticated,
      }),
    ),
    renderNotFound,
  );
  app.use(servePage(dependencies.pageFolder), renderNotFound, renderError(log, dependencies.onLimited));
  return app;
}
