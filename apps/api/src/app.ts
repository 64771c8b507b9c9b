import express, { Router } from 'express';
import type { Express, RequestHandler } from 'express';
import type { Database, Sealer } from '@rewardhook/database';
import type { Intake } from '@rewardhook/pipeline';
import { checkHealth, identifyRequest, measureRequests, warnAboutProxy } from '@rewardhook/process';
import type { HealthCheck, Logger, Metrics } from '@rewardhook/process';
import { listEvents } from './events/list-events.ts';
import { openBodyBudget } from './http/body-budget.ts';
import type { BodyLimits } from './http/body-budget.ts';
import { withBody } from './http/read-body.ts';
import { renderError, renderMethodNotAllowed, renderNotFound } from './http/render-error.ts';
import { authenticate } from './keys/authenticate.ts';
import type { KeyOwners } from './keys/key-owners.ts';
import type { KeyUses } from './keys/key-uses.ts';
import type { HourlyLimits } from './limits/hourly-limits.ts';
import { allowBrowsers, answerPreflight } from './members/allow-browsers.ts';
import { bootMember } from './members/boot-member.ts';
import type { FlagLink } from './members/flag-link.ts';
import type { EnqueueEarlierOrders } from './members/enqueue-earlier-orders.ts';
import { linkMember } from './members/link-member.ts';
import { requireAllowedOrigin } from './members/require-allowed-origin.ts';
import { explainOrder } from './orders/explain-order.ts';
import { syncOrders } from './orders/sync-orders.ts';
import { followShareLink } from './share-links/follow-share-link.ts';

export interface ApiDependencies {
  database: Database;
  sealer: Sealer;
  intake: Intake;
  owners: KeyOwners;
  uses: KeyUses;
  enqueueEarlierOrders: EnqueueEarlierOrders;
  flagLink: FlagLink;
  hourlyLimits: HourlyLimits;
  /** What share links begin with, for example `https://go.example.com`; without a slash at the end. */
  publicUrl: string;
  /** How many proxies of ours stand before this process, each adding to X-Forwarded-For. */
  trustedProxies: number;
  checks: Record<string, HealthCheck>;
  limits: { maxOrders: number; maxBodyBytes: number; bodiesInFlight: BodyLimits };
  metrics: Metrics;
  log: Logger;
}

/** Browsers must not guess another content type than the one that is declared. */
const forbidSniffing: RequestHandler = (_request, response, next) => {
  response.set('x-content-type-options', 'nosniff');
  next();
};

/** Bodies of the member calls are two or three short fields. */
const memberBodyBytes = 16_384;

/** The HTTP side of ingest: every route, each checked in the order key, body, queue. */
export function createApp(parts: ApiDependencies): Express {
  const { database, intake, owners, uses, enqueueEarlierOrders, limits, metrics, log } = parts;
  const accepted = metrics.counter('orders_accepted_total', 'Orders answered with 202');
  const abandoned = metrics.counter(
    'requests_abandoned_total',
    'Requests that were dropped because their client had closed the connection',
  );
  const secret = authenticate(owners, uses, 'secret');
  const bodies = openBodyBudget(limits.bodiesInFlight);
  metrics.gauge('body_bytes_in_flight', 'Bytes of bodies, unpacked, of requests under way', bodies.used);
  const routes = Router({ caseSensitive: true });

  const post = (path: string, ...handlers: RequestHandler[]) =>
    routes
      .route(path)
      .all(measureRequests(metrics, path))
      .post(...handlers)
      .all(renderMethodNotAllowed('POST'));
  post(
    '/api/open/orders/sync',
    secret,
    withBody(
      limits.maxBodyBytes,
      bodies,
      syncOrders({
        intake,
        maxOrders: limits.maxOrders,
        onAccepted: (orders) => accepted.inc(orders),
        onAbandoned: () => abandoned.inc(),
      }),
    ),
  );
  routes
    .route('/api/open/orders/:orderId/explain')
    .all(measureRequests(metrics, '/api/open/orders/{order_id}/explain'))
    .get(secret, explainOrder(database))
    .all(renderMethodNotAllowed('GET'));
  routes
    .route('/api/open/events')
    .all(measureRequests(metrics, '/api/open/events'))
    .get(secret, listEvents(parts))
    .all(renderMethodNotAllowed('GET'));
  routes.options('/api/open/members/boot', allowBrowsers, answerPreflight);
  post(
    '/api/open/members/boot',
    allowBrowsers,
    authenticate(owners, uses, 'public'),
    requireAllowedOrigin(database),
    withBody(memberBodyBytes, bodies, bootMember(parts)),
  );
  post(
    '/api/open/members/link',
    secret,
    withBody(memberBodyBytes, bodies, linkMember(database, enqueueEarlierOrders)),
  );
  // Express answers HEAD with what answers GET.
  routes.get('/r/:code', measureRequests(metrics, '/r/{code}'), followShareLink(parts));
  routes.get('/health/live', (_request, response) => void response.json({ status: 'ok' }));
  routes.get('/health/ready', async (_request, response) => {
    // What is wrong is for operators: the health port says it.
    const { status } = await checkHealth(parts.checks);
    response.status(status === 'ok' ? 200 : 503).json({ status });
  });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustedProxies);
  app.use(
    identifyRequest,
    forbidSniffing,
    warnAboutProxy({ trustedProxies: parts.trustedProxies, setting: 'API_TRUST_PROXY' }, log),
    routes,
    renderNotFound,
    renderError(log),
  );
  return app;
}
