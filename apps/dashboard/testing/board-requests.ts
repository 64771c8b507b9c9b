import { appRoutes } from '@bull-board/api/dist/routes.js';

/** One request to a route of the board. */
export interface BoardRequest {
  method: string;
  path: string;
}

/** Requests to all routes of this version of the board, also those that the dashboard does not list. */
export function boardRequests(params: {
  queueName: string;
  jobId: string;
  queueStatus: string;
}): BoardRequest[] {
  const values: Record<string, string> = { ...params, schedulerId: 'any' };
  const fill = (route: string) =>
    route.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(values[name] ?? name));
  return [appRoutes.entryPoint, ...appRoutes.api].flatMap(({ method, route }) =>
    [method].flat().flatMap((one) => [route].flat().map((path) => ({ method: one, path: fill(path) }))),
  );
}
