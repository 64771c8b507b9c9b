import type { Request, Response } from 'express';
import type Joi from 'joi';
import type { ConsoleRole } from '../api-types.ts';
import type { Session } from '../auth/signed-in.ts';

/** A call of a route. What belongs to a merchant is found with `merchantId`, which comes from the session alone. */
export interface Call<B, Q> {
  /** The session; only routes open to anybody may find none. */
  session: Session;
  merchantId: string;
  params: Record<string, string>;
  /** Checked. */
  query: Q;
  body: B;
  request: Request;
  response: Response;
}

/** A call of a route that is open to anybody. */
export interface OpenCall<B, Q> extends Omit<Call<B, Q>, 'session' | 'merchantId'> {
  session: Session | undefined;
}

/** A route of the API, its path below /api/console. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The least role; `anybody` needs no session. */
  access: ConsoleRole | 'anybody';
  body: Joi.ObjectSchema | undefined;
  query: Joi.ObjectSchema | undefined;
  /** Most bytes of the body. */
  bodyBytes: number;
  status: number;
  /** The data of the answer; undefined is 204, unless the answer is on its way already. */
  handle(call: Call<never, never>): Promise<unknown>;
}

interface RouteOptions<B, Q> {
  body?: Joi.ObjectSchema<B>;
  query?: Joi.ObjectSchema<Q>;
  bodyBytes?: number;
  status?: number;
}

type Method = Route['method'];
type Handle<C> = (call: C) => Promise<unknown>;

/** Declares a route for those who are signed in with this role or more. */
export function route<B = undefined, Q = undefined>(
  access: ConsoleRole,
  method: Method,
  path: string,
  handle: Handle<Call<B, Q>>,
  options: RouteOptions<B, Q> = {},
): Route {
  return declare(access, method, path, handle, options);
}

/** Declares a route that is open to anybody. */
export function openRoute<B = undefined, Q = undefined>(
  method: Method,
  path: string,
  handle: Handle<OpenCall<B, Q>>,
  options: RouteOptions<B, Q> = {},
): Route {
  return declare('anybody', method, path, handle, options);
}

/** Bodies are forms that people fill in. */
const usualBodyBytes = 65_536;

function declare(
  access: Route['access'],
  method: Method,
  path: string,
  handle: Route['handle'],
  { body, query, bodyBytes = usualBodyBytes, status = 200 }: RouteOptions<unknown, unknown>,
): Route {
  return { method, path, access, body, query, bodyBytes, status, handle };
}
