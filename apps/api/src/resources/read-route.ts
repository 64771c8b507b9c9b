import type { RequestHandler } from 'express';
import Joi from 'joi';
import { fieldError, pageFields, textProblem } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { CursorError } from '@rewardhook/database';
import type { Database, ListPage } from '@rewardhook/database';
import { toJsonText } from '@rewardhook/process';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { queryReader } from '../http/read-query.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** A GET route with which a merchant's server reads its own data. */
export interface ReadRoute {
  /** The path below `/api/open`, with parameters in braces: `/orders/{order_id}`. */
  path: string;
  /** The name of the list in the answer; absent for one object. */
  list?: string;
  /** The parameters of the query. */
  query: Joi.ObjectSchema;
  /** Returns the handler that reads from a database. */
  handle(database: Database): RequestHandler;
}

/** The owner of what is read, and the parameters of the path by name. */
export interface Reading {
  merchantId: string;
  params: Record<string, string>;
}

/**
 * A route for one page of a list. The answer is `{data: {<name>: […], next, has_more}}`: `next` is the value of `after` for
 * the next page, null at the end. `load` returns undefined when what the list belongs to does not exist.
 */
export function listRoute<Filters>(
  path: string,
  name: string,
  filters: Joi.ObjectSchema<Filters>,
  load: (
    database: Database,
    reading: Reading,
    filters: Filters,
    page: PageQuery,
  ) => Promise<ListPage<object> | undefined>,
): ReadRoute {
  const query = filters.append<Filters & PageQuery>(pageFields);
  const readQuery = queryReader(query);
  return {
    path,
    list: name,
    query,
    handle: (database) => async (request, response) => {
      const { after, limit, ...given } = readQuery(request);
      const reading = readingOf(request.params, ownerOf(response).merchantId);
      const page = await withDatabaseTimeout(
        load(database, reading, given as Filters, { after, limit }).catch((error: unknown) => {
          throw error instanceof CursorError ? invalidRequest({ after: fieldError('cursor') }) : error;
        }),
      );
      if (!page) throw notFound(path);
      const { items, next } = page;
      response.status(200).json({ data: { [name]: items, next, has_more: next !== null } });
    },
  };
}

/** A route for one object, which may be JSON text; `load` returns undefined when it does not exist. */
export function itemRoute(
  path: string,
  load: (database: Database, reading: Reading) => Promise<object | undefined>,
): ReadRoute {
  const query = Joi.object({});
  const readQuery = queryReader(query);
  return {
    path,
    query,
    handle: (database) => async (request, response) => {
      readQuery(request);
      const reading = readingOf(request.params, ownerOf(response).merchantId);
      const data = await withDatabaseTimeout(load(database, reading));
      if (!data) throw notFound(path);
      response.status(200).type('json').send(toJsonText({ data }).text);
    },
  };
}

/** @throws ApiError `not_found` for an id that PostgreSQL cannot store, and which therefore does not exist */
export function requireStorable(...ids: string[]): void {
  if (ids.some((id) => textProblem(id, 0, Infinity) !== undefined))
    throw new ApiError('not_found', 'There is nothing with this id.');
}

function readingOf(params: Record<string, string | string[]>, merchantId: string): Reading {
  const entries = Object.entries(params).map(([name, value]) => [name, String(value)] as const);
  requireStorable(...entries.map(([, value]) => value));
  return { merchantId, params: Object.fromEntries(entries) };
}

const hints = new Map([
  ['order', 'Orders are available shortly after the 202.'],
  ['member', 'A member exists from their first boot call, link or order.'],
]);

function notFound(path: string): ApiError {
  const [, parameter = 'id'] = /\{(\w+)_id\}/.exec(path) ?? [];
  const hint = hints.get(parameter);
  return new ApiError('not_found', `There is no ${parameter} with this id.${hint ? ` ${hint}` : ''}`);
}
