import type { Request, Response } from 'express';
import type Joi from 'joi';
import type { AuditAction } from '@rewardhook/database';
import type { ConsoleErrorCode, ConsoleRole } from '../api-types.ts';
import type { Session } from '../account/sessions.ts';

/**
 * A call of a route. `merchantId` is that of the side that the request selects, live or test, of the merchant in the session;
 * it is read from nowhere else.
 */
export interface Call<B, Q> {
  /** The session; only routes with the role `public` can be called without one. */
  session: Session;
  merchantId: string;
  params: Record<string, string>;
  /** Validated. */
  query: Q;
  body: B;
  request: Request;
  response: Response;
}

/** A call of a route that needs no session. */
export interface OpenCall<B, Q> extends Omit<Call<B, Q>, 'session' | 'merchantId'> {
  session: Session | undefined;
}

/**
 * Which side of the merchant a route works on: the one that the request selects; `merchant`, for what both have in common
 * (users, team, settings); or `test`, for a route that the live side does not have.
 */
export type RouteSide = 'selected' | 'merchant' | 'test';

/** Which of the limits of a merchant a call counts in: exports, which are long, do not delay the pages. */
export type RouteLimit = 'calls' | 'exports';

/** A route of the API, its path below /api/console. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The minimum role; `public` needs no session. */
  access: ConsoleRole | 'public';
  side: RouteSide;
  body: Joi.ObjectSchema | undefined;
  query: Joi.ObjectSchema | undefined;
  /** Maximum bytes of the body. */
  bodyBytes: number;
  limit: RouteLimit;
  status: number;
  /** What the audit records of a call; null when the call changes nothing and reads no secret. */
  audit: AuditAction | null;
  /** Errors after which the audit records a refused call. */
  auditRefusals: ConsoleErrorCode[];
  /** Returns the data of the response, an object or `JsonText`; undefined is 204, unless the response was already sent. */
  handle(call: Call<never, never>): Promise<unknown>;
}

interface RouteOptions<B, Q> {
  side?: RouteSide;
  body?: Joi.ObjectSchema<B>;
  query?: Joi.ObjectSchema<Q>;
  bodyBytes?: number;
  limit?: RouteLimit;
  status?: number;
  audit?: AuditAction | null;
  auditRefusals?: ConsoleErrorCode[];
}

/** A route that is not a GET says what the audit records of it. */
type ChangeOptions<B, Q> = RouteOptions<B, Q> & { audit: AuditAction | null };

type ChangeMethod = Exclude<Route['method'], 'GET'>;
type Handle<C> = (call: C) => Promise<unknown>;

/** Declares a route that needs a session with this role or a higher one. */
export function route<B = undefined, Q = undefined>(
  access: ConsoleRole,
  method: 'GET',
  path: string,
  handle: Handle<Call<B, Q>>,
  options?: RouteOptions<B, Q>,
): Route;
export function route<B = undefined, Q = undefined>(
  access: ConsoleRole,
  method: ChangeMethod,
  path: string,
  handle: Handle<Call<B, Q>>,
  options: ChangeOptions<B, Q>,
): Route;
export function route(
  access: ConsoleRole,
  method: Route['method'],
  path: string,
  handle: Route['handle'],
  options: RouteOptions<unknown, unknown> = {},
): Route {
  return declare(access, method, path, handle, options);
}

/** Declares a route that needs no session. */
export function openRoute<B = undefined, Q = undefined>(
  method: 'GET',
  path: string,
  handle: Handle<OpenCall<B, Q>>,
  options?: RouteOptions<B, Q>,
): Route;
export function openRoute<B = undefined, Q = undefined>(
  method: ChangeMethod,
  path: string,
  handle: Handle<OpenCall<B, Q>>,
  options: ChangeOptions<B, Q>,
): Route;
export function openRoute(
  method: Route['method'],
  path: string,
  handle: Route['handle'],
  options: RouteOptions<unknown, unknown> = {},
): Route {
  return declare('public', method, path, handle, options);
}

/** Enough for a form that a person fills in. */
const defaultBodyBytes = 65_536;

function declare(
  access: Route['access'],
  method: Route['method'],
  path: string,
  handle: Route['handle'],
  options: RouteOptions<unknown, unknown>,
): Route {
  const {
    side = 'selected',
    body,
    query,
    bodyBytes = defaultBodyBytes,
    limit = 'calls',
    status = 200,
    audit = null,
    auditRefusals = [],
  } = options;
  return {
    method,
    path,
    access,
    side,
    body,
    query,
    bodyBytes,
    limit,
    status,
    audit,
    auditRefusals,
    handle,
  };
}
