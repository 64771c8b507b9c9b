import type { Request, Response } from 'express';
import Joi from 'joi';
import type { AuditAction } from '@rewardhook/database';
import type { JsonText } from '@rewardhook/process';
import type { ConsoleErrorCode } from '../api-types.ts';
import type { Session } from '../account/sessions.ts';
import { routes } from '../routes.ts';
import type { AnswerOf, InputOf, OpenRouteName, ParamsOf, RouteName } from '../routes.ts';
import type { DeclaredRoute, RouteAccess, RouteLimit, RouteSide } from './declare-route.ts';

/**
 * A call of a route. `merchantId` is that of the side that the request selects, live or test, of the merchant in the session;
 * it is read from nowhere else.
 */
export interface Call<Name extends RouteName> {
  /** Undefined only on routes that can be called without one. */
  session: Name extends OpenRouteName ? Session | undefined : Session;
  merchantId: Name extends OpenRouteName ? undefined : string;
  params: ParamsOf<Name>;
  /** The query of a GET or DELETE, the body of another method; validated. */
  input: InputOf<Name>;
  request: Request;
  response: Response;
}

/** A call with a session. */
export type SignedInCall = Call<'GET /session'>;

/** A method that only schemas of this kind have. Those of fields whose rule is a function have none of them. */
interface MethodOfKind {
  string: 'alphanum';
  number: 'integer';
  boolean: 'truthy';
  array: 'items';
  object: 'keys';
}

type KindOf<Value> = Value extends string
  ? 'string'
  : Value extends number
    ? 'number'
    : Value extends boolean
      ? 'boolean'
      : Value extends readonly unknown[]
        ? 'array'
        : 'object';

/** The schema of a field with such a value: none of another kind. */
type FieldOf<Value> = Joi.AnySchema & {
  [Kind in Exclude<keyof MethodOfKind, KindOf<NonNullable<Value>>> as MethodOfKind[Kind]]?: never;
};

/** The schema of each field of a query or body. */
export type Fields<Input> = { [Name in keyof Input]-?: FieldOf<Input[Name]> };

type Handle<Name extends RouteName> = (call: Call<Name>) => Promise<AnswerOf<Name> | JsonText>;

/** What a route does. It returns the data of the answer, unless it has sent it; a route with a query or body has its fields. */
export type Handler<Name extends RouteName> = [InputOf<Name>] extends [undefined]
  ? Handle<Name>
  : {
      input: Fields<InputOf<Name>> | Joi.ObjectSchema<InputOf<Name>>;
      /** Maximum bytes of the body. */
      bodyBytes?: number;
      handle: Handle<Name>;
    };

export type Handlers = { [Name in RouteName]: Handler<Name> };

/** A route as it is mounted: as the table declares it, with its handler. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: RouteAccess;
  side: RouteSide;
  body: Joi.ObjectSchema | undefined;
  query: Joi.ObjectSchema | undefined;
  bodyBytes: number;
  limit: RouteLimit;
  status: number;
  audit: AuditAction | null;
  auditRefusals: ConsoleErrorCode[];
  handle(call: Call<never>): Promise<unknown>;
}

/** Enough for a form that a person fills in. */
const defaultBodyBytes = 65_536;

type AnyHandler =
  | Route['handle']
  | { input: Joi.PartialSchemaMap | Joi.ObjectSchema; bodyBytes?: number; handle: Route['handle'] };

/** All routes of the table with their handlers, in its order. */
export const joinHandlers = (handlers: Handlers): Route[] =>
  (Object.keys(routes) as RouteName[]).map((name) =>
    toRoute(name, routes[name], handlers[name] as AnyHandler),
  );

function toRoute(
  name: RouteName,
  declared: DeclaredRoute<unknown, unknown, RouteAccess>,
  handler: AnyHandler,
): Route {
  const [method, path] = name.split(' ') as [Route['method'], string];
  const { input, ...others } = typeof handler === 'function' ? { handle: handler } : handler;
  const schema = Joi.isSchema(input) ? input : input && Joi.object(input);
  const inQuery = method === 'GET' || method === 'DELETE';
  return {
    side: 'selected',
    bodyBytes: defaultBodyBytes,
    limit: 'calls',
    status: 200,
    audit: null,
    auditRefusals: [],
    ...declared,
    ...others,
    method,
    path,
    body: inQuery ? undefined : schema,
    query: inQuery ? schema : undefined,
  };
}
