import express, { Router } from 'express';
import type { Express, RequestHandler, Response } from 'express';
import { requestLimits } from '@rewardhook/contract';
import type { ErrorCode } from '@rewardhook/contract';
import type { Database, Sealer } from '@rewardhook/database';
import type { EnqueueDue, Intake, RefusedRequestCounter } from '@rewardhook/pipeline';
import type { WebhookClient } from '@rewardhook/webhook';
import {
  checkHealth,
  measureRequests,
  readForwardedAddress,
  recordOf,
  recordRequests,
  warnAboutProxy,
} from '@rewardhook/process';
import type { AccessLog, DependencyCheck, Logger, Metrics, Tracing } from '@rewardhook/process';
import { listEvents } from './events/list-events.ts';
import { openGate } from './http/gate.ts';
import { announcedBytes, openBodyReader } from './http/json-body.ts';
import { renderError, renderMethodNotAllowed, renderNotFound } from './http/render-error.ts';
import { authenticate, findOwnerOf, ownerOf, refusePaused } from './keys/authenticate.ts';
import type { KeyOwners } from './keys/key-owners.ts';
import type { UsageRecord } from './record-usage.ts';
import { recordAnswer } from './requests/record-answer.ts';
import type { RequestLog } from './requests/request-log.ts';
import { adjustReward, grantReward, revokeReward } from './rewards/correct-reward.ts';
import type { AddressLimits } from './limits/address-limits.ts';
import type { ApiLimits } from './limits/default-limits.ts';
import type { HourlyLimits } from './limits/hourly-limits.ts';
import type { KeyLimits } from './limits/key-limits.ts';
import { allowBrowsers, answerPreflight, requireAllowedOrigin } from './members/browser-access.ts';
import { bootMember } from './members/boot-member.ts';
import { limitReads, limitTestEvents, limitWrites } from './limits/limit-merchants.ts';
import { linkMember } from './members/link-member.ts';
import { mergeMember } from './members/merge-members.ts';
import { moveLink } from './members/move-link.ts';
import { memberRoute } from './members/show-member.ts';
import { serveOpenApiDocument } from './openapi/serve-document.ts';
import { syncOrders } from './orders/sync-orders.ts';
import { eventRoute, explainRoute, readRoutes } from './resources/read-routes.ts';
import { followShareLink } from './share-links/follow-share-link.ts';
import { renderDeadLink } from './share-links/render-dead-link.ts';
import { testWebhook } from './webhooks/test-webhook.ts';

/** What the routes of the API use. */
export interface ApiDependencies {
  database: Database;
  sealer: Sealer;
  intake: Intake;
  owners: KeyOwners;
  uses: UsageRecord;
  feedReads: UsageRecord;
  refusedRequests: Pick<RefusedRequestCounter, 'record'>;
  requestLog: Pick<RequestLog, 'record'>;
  enqueueDue: EnqueueDue;
  keyLimits: KeyLimits;
  addressLimits: AddressLimits;
  hourlyLimits: HourlyLimits;
  webhookClient: WebhookClient;
  /** The start of share links, such as `https://go.example.com`, without a slash at the end. */
  publicUrl: string;
  /** Number of trusted proxies in front of this process, each of which appends to X-Forwarded-For. */
  trustedProxies: number;
  checks: DependencyCheck[];
  limits: ApiLimits;
  metrics: Metrics;
  tracing: Tracing;
  accessLog: AccessLog;
  log: Logger;
}

/** Browsers must not guess another content type than the declared one. */
const forbidSniffing: RequestHandler = (_request, response, next) => {
  response.set('x-content-type-options', 'nosniff');
  next();
};

/** Answers have data of members. The key is in a header that shared caches do not know. */
const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

/** The path of a route for Express: `{order_id}` is `:order_id`. */
const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Browsers of customers call these: boot, with a public key, and share links. */
const customerPaths = ['/api/open/members/boot', '/r'];
const isOfCustomer = (url: string) => customerPaths.some((path) => url.startsWith(path));

const customerRequest: RequestHandler = (_request, response, next) => {
  recordOf(response).fromCustomer = true;
  next();
};

/** Codes that do not mean the client is wrong. */
const uncountedCodes: readonly ErrorCode[] = [
  'internal_error',
  'service_unavailable',
  'not_found',
  'already_linked',
  'referral_cycle',
];

/** Counts a request of a merchant that was refused. */
function recordRefusedRequest(
  refusedRequests: Pick<RefusedRequestCounter, 'record'>,
  response: Response,
  code: ErrorCode,
): void {
  const owner = findOwnerOf(response);
  if (owner && !uncountedCodes.includes(code)) refusedRequests.record(owner.merchantId, code);
}

/** The bodies of boot, link and test requests have a few short fields. */
const smallBodyBytes = 16_384;

/** The Express app of the API: all routes. A request is checked in the order key, pause, rate limit, overload, body, limit of orders, queue. */
export function createApp(dependencies: ApiDependencies): Express {
  const { database, intake, enqueueDue, limits, metrics, log, tracing, accessLog } = dependencies;
  const { keyLimits, addressLimits, refusedRequests, requestLog, trustedProxies } = dependencies;
  const accepted = metrics.counter('orders_accepted_total', 'Orders answered with 202');
  const abandoned = metrics.counter(
    'requests_abandoned_total',
    'Requests dropped because their client had closed the connection',
  );
  const gate = openGate(limits.requestsInProgress);
  const readBody = openBodyReader(gate);
  const refuseOverload: RequestHandler = (request, response, next) => {
    gate.check(ownerOf(response).merchantId, announcedBytes(request, requestLimits.bodyBytes));
    next();
  };
  const secret = [authenticate(dependencies, 'secret'), keyLimits.countRequest];
  /** Of requests that change what is stored. */
  const secretUnpaused = [authenticate(dependencies, 'secret'), refusePaused, keyLimits.countRequest];
  metrics.gauge(
    'body_bytes_in_flight',
    'Bytes that are reserved for bodies of requests in flight',
    gate.reserved,
  );
  metrics.gauge('requests_in_progress', 'Order requests that are handled', gate.inProgress);
  metrics.gauge('requests_waiting', 'Order requests that wait to be handled', gate.waiting);
  const refused = metrics.counter('requests_refused_total', 'Responses 429 and 503 by reason', ['reason']);
  const routes = Router({ caseSensitive: true });

  const post = (path: string, ...handlers: RequestHandler[]) =>
    routes
      .route(toPattern(path))
      .all(measureRequests(metrics, path))
      .post(...handlers)
      .all(renderMethodNotAllowed('POST'));
  const limitRead = limitReads();
  const get = (path: string, handler: RequestHandler) =>
    routes
      .route(toPattern(path))
      .all(measureRequests(metrics, path))
      .get(...secret, forbidCaching, limitRead(handler))
      .all(renderMethodNotAllowed('GET'));
  post(
    '/api/open/orders/sync',
    ...secretUnpaused,
    refuseOverload,
    readBody(
      requestLimits.bodyBytes,
      syncOrders({
        intake,
        gate,
        keyLimits,
        tracing,
        onAccepted: (orders) => accepted.inc(orders),
        onAbandoned: () => abandoned.inc(),
      }),
    ),
  );
  routes.use(customerPaths, customerRequest);
  routes.options('/api/open/members/boot', allowBrowsers, answerPreflight);
  post(
    '/api/open/members/boot',
    allowBrowsers,
    addressLimits.limitRequests('boot'),
    authenticate(dependencies, 'public'),
    refusePaused,
    requireAllowedOrigin(database),
    readBody(smallBodyBytes, limitWrites()(bootMember(dependencies))),
  );
  post(
    '/api/open/members/link',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(linkMember(database, enqueueDue))),
  );
  post(
    '/api/open/members/merge',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(mergeMember(database, enqueueDue))),
  );
  post(
    '/api/open/members/move-link',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(moveLink(database, enqueueDue))),
  );
  post(
    '/api/open/orders/{order_id}/rewards',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(grantReward(database, enqueueDue))),
  );
  post(
    '/api/open/rewards/{reward_id}/adjust',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(adjustReward(database, enqueueDue))),
  );
  post(
    '/api/open/rewards/{reward_id}/revoke',
    ...secretUnpaused,
    readBody(smallBodyBytes, limitWrites()(revokeReward(database, enqueueDue))),
  );
  post(
    '/api/open/webhooks/{webhook_id}/test',
    ...secret,
    readBody(
      smallBodyBytes,
      limitTestEvents()(testWebhook({ ...dependencies, secondsBetween: limits.testSeconds })),
      { mayBeEmpty: true },
    ),
  );
  get('/api/open/events', listEvents(dependencies));
  const items = [explainRoute, eventRoute, memberRoute(dependencies.publicUrl)];
  for (const { path, handle } of [...items, ...readRoutes]) get(`/api/open${path}`, handle(database));
  // Express calls the GET handler for HEAD requests too.
  routes.get(
    '/r/:code',
    measureRequests(metrics, '/r/{code}'),
    addressLimits.limitRequests('share_links'),
    followShareLink(dependencies),
  );
  routes.use('/r', renderNotFound, renderDeadLink);
  routes
    .route('/openapi.json')
    .all(measureRequests(metrics, '/openapi.json'))
    .get(serveOpenApiDocument(dependencies.publicUrl))
    .all(renderMethodNotAllowed('GET'));
  routes.get('/health/live', (_request, response) => void response.json({ status: 'ok' }));
  routes.get('/health/ready', async (_request, response) => {
    // The reason is for operators only: the health port reports it.
    const { status } = await checkHealth(dependencies.checks);
    response.status(status === 'ok' ? 200 : 503).json({ status });
  });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies);
  app.use(
    readForwardedAddress(trustedProxies),
    recordRequests({
      accessLog,
      tracing,
      isUnauthenticated: isOfCustomer,
      onEnd: (response, line) => recordAnswer(requestLog, response as Response, line),
    }),
    forbidSniffing,
    warnAboutProxy({ trustedProxies, setting: 'API_TRUST_PROXY' }, log),
    routes,
    renderNotFound,
    renderError(
      log,
      (reason) => refused.inc({ reason }),
      (response, code) => recordRefusedRequest(refusedRequests, response, code),
    ),
  );
  return app;
}
