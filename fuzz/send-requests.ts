import type { Stack } from '@rewardhook/local-stack';
import { checkAnswer } from './checks/check-answer.ts';
import { reachedRoute } from './checks/reached-route.ts';
import type { Routes } from './checks/reached-route.ts';
import type { FuzzResult } from './fuzz-result.ts';
import type { FuzzRequest } from './requests/fuzz-request.ts';
import { send } from './requests/send.ts';
import type { FuzzAnswer } from './requests/send.ts';
import { openAccessLog } from './service/access-log.ts';
import type { AccessLog } from './service/access-log.ts';

/** A request, and what was answered. */
export interface Exchange {
  request: FuzzRequest;
  answer: FuzzAnswer;
}

const atATime = 12;

/** Makes the function that sends requests, several at a time. It checks the answers and counts what has become of the requests. */
export function openSender(
  stack: Stack,
  routes: Routes,
  result: FuzzResult,
): (requests: readonly FuzzRequest[]) => Promise<Exchange[]> {
  const accessLog = openAccessLog(stack, ['api', 'console']);
  const urls = new Map([
    ['api', stack.apiUrl],
    ['console', stack.consoleUrl],
    ['dashboard', stack.dashboardUrl],
    ...Object.entries(stack.healthUrls).map(([name, url]) => [`health of ${name}`, url] as const),
  ]);
  return async (requests) => {
    const left = [...requests];
    const exchanges: Exchange[] = [];
    const work = async () => {
      for (let request = left.shift(); request; request = left.shift()) {
        const url = urls.get(request.target);
        if (url === undefined) throw new Error(`${request.target} is no server`);
        exchanges.push({ request, answer: await send(url, request) });
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    const reached = await findReached(exchanges, routes, accessLog);
    for (const { request, answer } of exchanges) {
      const wrong = checkAnswer(request, answer);
      if (wrong !== undefined) result.findings.push({ what: wrong, request });
      const route = reached.get(request);
      count(result, request, answer, route !== undefined);
      if (route !== undefined && result.routes.has(route))
        result.routes.set(route, (result.routes.get(route) ?? 0) + 1);
    }
    return exchanges;
  };
}

/** The routes whose handlers the requests came to. */
async function findReached(
  exchanges: Exchange[],
  routes: Routes,
  accessLog: AccessLog,
): Promise<Map<FuzzRequest, string>> {
  const reached = new Map<FuzzRequest, string>();
  const logged = new Map<string, Exchange>();
  for (const exchange of exchanges) {
    const { request, answer } = exchange;
    const requestId = answer.headers['x-request-id'];
    if (request.target !== 'api' && request.target !== 'console') {
      // These servers do not say which route it came to.
      if (answer.status !== undefined && answer.status < 400) reached.set(request, request.route);
    } else if (typeof requestId === 'string' && !('x-request-id' in request.headers)) {
      // An id that the client has chosen does not say which request a line is about.
      logged.set(requestId, exchange);
    }
  }
  const lines = await accessLog.read([...logged.keys()]);
  for (const [requestId, { request, answer }] of logged) {
    const line = lines.get(requestId);
    const route = line && reachedRoute(routes, answer, line);
    if (route !== undefined) reached.set(request, route);
  }
  return reached;
}

function count(
  { sent, statuses }: FuzzResult,
  { target, signedIn }: FuzzRequest,
  { status }: FuzzAnswer,
  reached: boolean,
): void {
  const name = target.startsWith('health')
    ? 'health ports'
    : `${target}, ${signedIn ? 'signed in' : 'not signed in'}`;
  const counts = sent.get(name) ?? { sent: 0, reached: 0 };
  counts.sent += 1;
  if (reached) counts.reached += 1;
  sent.set(name, counts);
  if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
}
