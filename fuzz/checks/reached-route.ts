import type { FuzzAnswer } from '../requests/send.ts';
import type { AccessLine } from '../service/access-log.ts';
import { readError } from './read-error.ts';

/** Routes by their method and path as the access log names them, and whether they need a key or a session. */
export type Routes = ReadonlyMap<string, { needsAccess: boolean }>;

/** Answers of limits, of the method and of the reading of a body, which come before the handler. */
const statusesBefore = new Set([403, 405, 408, 413, 415, 429, 431, 503]);

/** What the answer 400 names when the body cannot be read. */
const partsOfBody = ['body', 'content-type', 'request'];

/**
 * The route whose handler has answered a request; undefined when the request did not come so far. That is known from the access
 * line: the answer 404 of the router looks like that of a handler.
 */
export function reachedRoute(
  routes: Routes,
  { status = 0, text }: FuzzAnswer,
  { method, route, merchantId }: AccessLine,
): string | undefined {
  const name = `${method} ${route}`;
  const matched = routes.get(name);
  if (!matched || (matched.needsAccess && merchantId === undefined)) return undefined;
  if (statusesBefore.has(status)) return undefined;
  const { params = {} } = status === 400 ? readError(text) : {};
  return partsOfBody.some((part) => part in params) ? undefined : name;
}
