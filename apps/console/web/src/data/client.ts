import type { AnswerOf, InputOf, ParamsOf, RouteName } from '../../../src/routes.ts';
import { apiPath, change, read } from './request.ts';

/** A route that sends a list as a file. */
export type ExportName = Extract<RouteName, `GET ${string}.csv`>;

/** A route that the page reads. */
export type ReadName = Exclude<Extract<RouteName, `GET ${string}`>, ExportName>;

/** A route that changes something or needs a body. */
export type ChangeName = Exclude<RouteName, `GET ${string}`>;

export type PathOf<Name extends RouteName> = Name extends `${string} ${infer Path}` ? Path : never;

/** The parameters of a route's path, together with its query or body. */
export type CallInput<Name extends RouteName> = ParamsOf<Name> &
  ([InputOf<Name>] extends [undefined] ? unknown : InputOf<Name>);

/** Calls a route, on the side that the page shows. `signal` aborts a read. @throws ApiError */
export function callRoute<Name extends RouteName>(
  route: Name,
  input: CallInput<Name>,
  signal?: AbortSignal,
): Promise<AnswerOf<Name>> {
  const { method, path, rest } = fill(route, input);
  if (method === 'GET') return read(path, rest, signal);
  return method === 'DELETE' ? change(method, path, {}, rest) : change(method, path, rest);
}

/** The URL of the file that a route sends. */
export const exportUrl = <Name extends ExportName>(route: Name, filter: CallInput<Name>): string =>
  apiPath(pathOfRoute(route), filter);

export const pathOfRoute = <Name extends RouteName>(route: Name) =>
  route.slice(route.indexOf(' ') + 1) as PathOf<Name>;

/** Puts the parameters into the path of a route. What is left of the input is its query or body. */
function fill(route: RouteName, input: object) {
  const rest = { ...input } as Record<string, unknown>;
  const path = pathOfRoute(route).replaceAll(/:(\w+)/g, (_, name: string) => {
    const { [name]: value } = rest;
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return {
    method: route.slice(0, route.indexOf(' ')) as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path,
    rest,
  };
}
