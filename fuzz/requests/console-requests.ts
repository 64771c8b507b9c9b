import fc from 'fast-check';
import { createRoutes } from '../../apps/console/src/create-routes.ts';
import type { Route } from '../../apps/console/src/http/route.ts';
import { bodiesWith, pathWith } from '../../tests/console/calls.ts';
import type { MerchantIds } from '../../tests/console/merchant-with-data.ts';
import type { Routes } from '../checks/reached-route.ts';
import { headers, segments } from '../corpus/values.ts';
import type { FuzzMerchant } from '../service/open-merchant.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { addresses, queriesOf, sometimes } from './arbitraries.ts';
import { bodiesOf } from './bodies.ts';

// Only what the routes say about themselves is read: none is called.
const unused = { openRateLimit: () => undefined } as unknown as Parameters<typeof createRoutes>[0];
const declared = createRoutes(unused);
const routeOf = ({ method, path }: Route) => `${method} /api/console${path}`;

/** The routes of the console. */
export const consoleRoutes: Routes = new Map(
  declared.map((route) => [routeOf(route), { needsAccess: route.access !== 'public' }]),
);

/** Routes that begin or end a session. They are called without one. */
const sessionRoutes = new Set(['/sign-out', '/sign-up', '/sign-in']);
/** Routes that change the session, or end others of its user. They are called by the colleague: all others need that of the owner. */
const colleagueRoutes = new Set(['/session/merchant', '/password', '/merchants']);

/** Requests of every route of the console, for the owner of one merchant, on the live side and on the test side. */
export function consoleRequests(
  merchant: FuzzMerchant,
  {
    consoleUrl,
    webhookUrl,
    idsOfAnother,
  }: { consoleUrl: string; webhookUrl: string; idsOfAnother: MerchantIds },
): fc.Arbitrary<FuzzRequest> {
  const bodiesByRoute = bodiesWith(merchant.ids, merchant.owner);
  // Webhooks to this machine, not to another one.
  bodiesByRoute['POST /webhooks'] = { ...bodiesByRoute['POST /webhooks'], url: webhookUrl };
  return fc.oneof(
    ...declared.map((route) =>
      requestsOf(
        route,
        merchant,
        { consoleUrl, idsOfAnother },
        bodiesByRoute[`${route.method} ${route.path}`],
      ),
    ),
  );
}

function requestsOf(
  route: Route,
  { ids, owner, colleague }: FuzzMerchant,
  { consoleUrl, idsOfAnother }: { consoleUrl: string; idsOfAnother: MerchantIds },
  usual: Record<string, unknown> | undefined,
): fc.Arbitrary<FuzzRequest> {
  const { method, path } = route;
  const user = colleagueRoutes.has(path) ? colleague : owner;
  const names = (schema: Route['query']) =>
    Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {});
  const good = usual && Object.fromEntries(names(route.body).map((name) => [name, usual[name]]));
  const filled = path.includes(':')
    ? fc.oneof(
        { weight: 8, arbitrary: fc.constant(pathWith(path, ids)) },
        { weight: 1, arbitrary: fc.constant(pathWith(path, idsOfAnother)) },
        fc.constantFrom(...segments).map((segment) => path.replace(/:\w+/, () => segment)),
      )
    : fc.constant(path);
  return fc
    .record({
      path: filled,
      query: queriesOf(names(route.query).map((name) => ({ name }))),
      side: fc.constantFrom('', route.side === 'test' ? '/test' : '', '/test'),
      extra: sometimes(fc.constantFrom(...headers), 8),
      address: addresses,
      signedIn: sessionRoutes.has(path)
        ? fc.constant(false)
        : sometimes(fc.constant(false), 6).map((one) => one ?? true),
      body: route.body ? bodiesOf(fc.constant(good ?? {}), 1, 4) : fc.constant(undefined),
    })
    .map(({ path: sent, query, side, extra, address, signedIn, body }): FuzzRequest => ({
      target: 'console',
      route: routeOf(route),
      method,
      path: `/api/console${side}${sent}${query}`,
      headers: {
        'x-rewardhook-console': '1',
        'x-forwarded-for': address,
        // Pages of another origin are refused.
        origin: consoleUrl,
        ...(signedIn ? { cookie: user.cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...extra,
      },
      body,
      signedIn,
    }));
}
