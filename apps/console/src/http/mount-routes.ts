import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import type Joi from 'joi';
import { fieldErrorsOf } from '@rewardhook/contract';
import { hasRight, rolesWith } from '@rewardhook/contract/rights';
import {
  measureRequests,
  openConcurrencyLimit,
  recordOf,
  ConcurrencyLimitReached,
  toJsonText,
} from '@rewardhook/process';
import { audited, databaseProblemOf, findOwnerState } from '@rewardhook/database';
import type { AuditAction, AuditedCall, Database } from '@rewardhook/database';
import type { ConcurrencyLimit, Metrics } from '@rewardhook/process';
import type { MayRecordUnauthenticated } from '../people/unauthenticated-entries.ts';
import { actorOf } from '../account/sessions.ts';
import type { ReadSession, Session } from '../account/sessions.ts';
import { modeOfRequest } from '../test-side/select-side.ts';
import { ConsoleError, invalidRequest, notFound, rateLimited, refuse } from './console-error.ts';
import { isStorable } from './fields.ts';
import { parseBody, readBody } from './read-body.ts';
import type { RouteLimit } from './declare-route.ts';
import type { Route, SignedInCall } from './route.ts';

/** Calls of one merchant that run at the same time in this process, and how many more wait, by the kind of the route. */
const limitsOfMerchant: Record<RouteLimit, { permits: number; maxWaiting: number }> = {
  // The connections to PostgreSQL are shared by all merchants, and some pages read for seconds.
  calls: { permits: 3, maxWaiting: 100 },
  // They last as long as their clients read, and must not delay the pages.
  exports: { permits: 2, maxWaiting: 10 },
};

/**
 * Mounts the routes. Each call is checked in this order: rate of the client address on public
 * routes, session, right, merchant, body, query. Its entry in the audit is
 * written here for all routes, as `audited` describes.
 */
export function mountRoutes(
  routes: Route[],
  readSession: ReadSession,
  { database, testSides, metrics, limitPublic, mayRecordUnauthenticated }: MountOptions,
): Router {
  const router = Router({ caseSensitive: true });
  const limits = openLimits();
  for (const path of new Set(routes.map((route) => route.path))) {
    const mounted = router.route(path).all(measureRequests(metrics, `/api/console${path}`));
    const own = routes.filter((route) => route.path === path);
    for (const route of own) {
      const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      const reading = route.body ? readBody(route.bodyBytes) : [];
      mounted[method](
        route.access === 'public' ? limitPublic : [],
        requireAccess(route, readSession, testSides),
        ...reading,
        answer(route, limits[route.limit], { database, mayRecordUnauthenticated }),
      );
    }
    mounted.all(refuseMethod(own.map(({ method }) => method).join(', ')));
  }
  return router;
}

/** Finds the test side of a live merchant, and creates the one that is missing; the audit names who did. */
export interface TestSides {
  find(liveMerchantId: string): Promise<string | undefined>;
  create(liveMerchantId: string, by: Pick<AuditedCall, 'actor' | 'address' | 'requestId'>): Promise<string>;
}

export interface MountOptions {
  database: Database;
  testSides: TestSides;
  metrics: Metrics;
  /** Limits the requests of a client address to public routes. */
  limitPublic: RequestHandler;
  /** Whether one more call of somebody who is not signed in may be recorded. */
  mayRecordUnauthenticated: MayRecordUnauthenticated;
}

/** Requires the session and the right of a route; the session and the merchant's id go to `response.locals`. */
function requireAccess(
  { access, side }: Route,
  readSession: ReadSession,
  testSides: TestSides,
): RequestHandler {
  return async (request, response, next) => {
    const session = await readSession(request);
    if (access !== 'public') {
      if (!session) throw refuse('login_required');
      if (!hasRight(session.role, access)) throw refuse('role_required', { roles: rolesWith(access) });
      refuseOtherMerchant(request, session);
    }
    const mode = modeOfRequest(response);
    if (side === 'test' && mode !== 'test') throw notFound();
    const isTest = mode === 'test' && side !== 'merchant' && access !== 'public';
    const merchantId =
      session && isTest
        ? await openTestSide(testSides, session, callerOf(session, request, response))
        : session?.merchantId;
    response.locals['session'] = session;
    response.locals['merchantId'] = merchantId;
    recordOf(response).merchantId = merchantId;
    next();
  };
}

/** The first use of the test side creates it. That is a change of those who connect the shop: nobody else can be the first. */
async function openTestSide(
  testSides: TestSides,
  session: Session,
  by: Parameters<TestSides['create']>[1],
): Promise<string> {
  const found = await testSides.find(session.merchantId);
  if (found !== undefined) return found;
  if (!hasRight(session.role, 'integrate')) throw refuse('test_side_missing');
  return testSides.create(session.merchantId, by);
}

/** Who calls, as the audit names them. */
const callerOf = (session: Session | undefined, request: Request, response: Response) => ({
  actor: session ? actorOf(session) : ({ kind: 'unknown' } as const),
  address: request.ip ?? null,
  requestId: String(response.getHeader('x-request-id')),
});

/** An open page must not change a merchant that was selected in another tab: a browser has one session. */
function refuseOtherMerchant(request: Request, { merchantId }: Session): void {
  const shown = request.get('x-rewardhook-merchant');
  if (shown !== undefined && shown !== merchantId) throw refuse('merchant_changed');
}

type Limits = Record<RouteLimit, ConcurrencyLimit>;

const openLimits = (): Limits => ({
  calls: openConcurrencyLimit(limitsOfMerchant.calls),
  exports: openConcurrencyLimit(limitsOfMerchant.exports),
});

function answer(
  route: Route,
  limit: ConcurrencyLimit,
  { database, mayRecordUnauthenticated }: Pick<MountOptions, 'database' | 'mayRecordUnauthenticated'>,
): RequestHandler {
  return async (request, response) => {
    const session = response.locals['session'] as Session;
    const params = request.params as Record<string, string>;
    if (!Object.values(params).every(isStorable)) throw notFound();
    const call = {
      session,
      merchantId: response.locals['merchantId'] as string,
      params,
      input: inputOf(route, request),
      request,
      response,
    };
    const handle = () => route.handle(call as Parameters<Route['handle']>[0]);
    const run = () => (session ? runLimited(limit, route.limit, session.merchantId, handle) : handle());
    const refusalOf = async (error: unknown, { actor }: AuditedCall) => {
      const code = error instanceof ConsoleError ? error.code : undefined;
      if (code === undefined || !route.auditRefusals.includes(code)) return undefined;
      return actor.kind !== 'unknown' || (await mayRecordUnauthenticated()) ? code : undefined;
    };
    const running =
      route.audit === null ? run() : audited(database, auditedCall(route, route.audit, call), run, refusalOf);
    const data = await running.catch(async (error: unknown) => {
      throw (await isOfDeletedSide(database, call.merchantId, error)) ? notFound() : error;
    });
    if (response.headersSent) return;
    if (data === undefined) response.status(204).end();
    else response.status(route.status).type('json').send(toJsonText({ data }).text);
  };
}

/**
 * Whether a call failed because the data of its side was deleted meanwhile. The side has a new id since, so the one that the call
 * began with has no program, and nothing can be created for it.
 */
async function isOfDeletedSide(
  database: Database,
  merchantId: string | undefined,
  error: unknown,
): Promise<boolean> {
  if (merchantId === undefined || error instanceof ConsoleError || databaseProblemOf(error)) return false;
  return (await findOwnerState(database, merchantId)) === 'wiped';
}

async function runLimited<T>(
  limit: ConcurrencyLimit,
  kind: RouteLimit,
  merchantId: string,
  handle: () => Promise<T>,
): Promise<T> {
  try {
    return await limit.run(merchantId, handle);
  } catch (error) {
    throw error instanceof ConcurrencyLimitReached ? rateLimited(1_000, `merchant_${kind}`) : error;
  }
}

/**
 * What is known of a call before its route handles it. An open route acts for whoever proves to be a user by a password or
 * link, not for the session that the browser happens to have: its handler notes the actor. Otherwise the owner of another
 * merchant would read in their own audit which address has an account, and an entry about a user would not reach theirs.
 */
function auditedCall(
  { access }: Route,
  action: AuditAction,
  {
    session,
    merchantId,
    params,
    request,
    response,
  }: Omit<SignedInCall, 'params' | 'input'> & { params: Record<string, string> },
): AuditedCall {
  const signedIn = access === 'public' ? undefined : session;
  return {
    action,
    merchantId: signedIn ? merchantId : null,
    subjectId: params['id'] ?? params['user_id'] ?? null,
    ...callerOf(signedIn, request, response),
  };
}

/** The validated body or query. Query parameters are text and are converted; bodies are JSON and keep their types. */
const inputOf = ({ body, query }: Route, request: Request): unknown =>
  body ? check(body, parseBody(request), false) : query && check(query, request.query, true);

/** Unknown fields are ignored. */
function check(schema: Joi.ObjectSchema, value: unknown, convert: boolean): unknown {
  const result = schema.required().validate(value, {
    abortEarly: false,
    convert,
    stripUnknown: { objects: true },
    errors: { render: false },
  });
  if (!result.error) return result.value;
  const { '': bodyError, ...fields } = fieldErrorsOf(result.error);
  throw invalidRequest(bodyError ? { ...fields, body: bodyError } : fields);
}

function refuseMethod(allowed: string): RequestHandler {
  return (_request, response) => {
    response.set('allow', allowed);
    throw refuse('method_not_allowed', { allowed });
  };
}
