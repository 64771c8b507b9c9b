import { join } from 'node:path';
import fc from 'fast-check';
import { identityOf, projectRoot, removeStackData, startReceiver, startStack } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { openStackAdmin } from '../tests/harness/stack-admin.ts';
import { checkAnswer, reachedHandler } from './checks/check-answer.ts';
import { openAcceptedOrders } from './checks/read-back.ts';
import { changesOf, readEverything } from './checks/untouched.ts';
import { foundRequests } from './corpus/requests.ts';
import { apiRequests } from './requests/api-requests.ts';
import { consoleRequests } from './requests/console-requests.ts';
import type { FuzzRequest } from './requests/fuzz-request.ts';
import { otherRequests } from './requests/other-requests.ts';
import type { Known } from './requests/schema-values.ts';
import { closeConnections, send } from './requests/send.ts';
import type { FuzzAnswer } from './requests/send.ts';
import { openMerchant } from './service/open-merchant.ts';

export interface FuzzOptions {
  /** How many have to reach a handler. */
  requests: number;
  /** No request is sent after this time; infinite without a limit. */
  seconds: number;
  seed: number;
  log: (line: string) => void;
}

/** Something that must not be, with the request after which it was seen. */
export interface FuzzFinding {
  what: string;
  request?: FuzzRequest;
}

/** How many requests were sent, and how many came to a handler, by their server and whether they were signed in. */
export interface FuzzResult {
  seed: number;
  sent: Map<string, { sent: number; reached: number }>;
  statuses: Map<number, number>;
  readBack: number;
  routes: { reached: number; all: number; notReached: string[] };
  findings: FuzzFinding[];
}

/** Requests that are made for one merchant: what they have changed and deleted would leave little for the next ones. */
const requestsOfMerchant = 10_000;
const atATime = 12;
/** Routes that delete what the others need. They come last. */
const destructiveRoutes = new Set(['DELETE /test-data']);
/** Findings after which no request is sent. */
const mostFindings = 20;

/** Sends generated requests to the service, running as in production, and looks for what must not be. */
export async function runFuzz({ requests, seconds, seed, log }: FuzzOptions): Promise<FuzzResult> {
  const dataDir = join(projectRoot, '.local/fuzz');
  removeStackData(dataDir);
  const stack = await startStack({
    dataDir,
    ports: 'auto',
    env: {
      // Limits by address count those that the requests name.
      ...{ API_TRUST_PROXY: '1', CONSOLE_TRUST_PROXY: '1', API_ADDRESS_REQUESTS_PER_SECOND: '0' },
      LOG_LEVEL: 'warn',
    },
  });
  const receiver = await startReceiver();
  try {
    const admin = openStackAdmin(stack.environment);
    const before = processesOf(stack);
    const untouched = await openMerchant(stack, admin, 'untouched', receiver.url);
    const everything = await readEverything(stack, untouched);
    const result: FuzzResult = {
      ...{ seed, sent: new Map(), statuses: new Map(), readBack: 0, findings: [] },
      routes: { reached: 0, all: 0, notReached: [] },
    };
    const healthPorts = Object.keys(stack.healthUrls).map((name) => `health of ${name}`);
    const urls: Record<string, string> = {
      ...{ api: stack.apiUrl, console: stack.consoleUrl, dashboard: stack.dashboardUrl },
      ...Object.fromEntries(
        Object.entries(stack.healthUrls).map(([name, url]) => [`health of ${name}`, url]),
      ),
    };
    const urlOf = (target: string) => {
      const url = urls[target];
      if (url === undefined) throw new Error(`${target} is no server`);
      return url;
    };
    const routes = new Map<string, boolean>();
    const until = performance.now() + seconds * 1_000;
    const isOver = () =>
      reachedOf(result) >= requests || performance.now() > until || result.findings.length >= mostFindings;
    for (let batch = 0; batch === 0 || !isOver(); batch += 1) {
      log(`${reachedOf(result)} requests reached a handler, ${result.findings.length} findings`);
      const merchant = await openMerchant(stack, admin, `shop-${batch}`, receiver.url);
      const arbitrary = fc.oneof(
        {
          weight: 9,
          arbitrary: apiRequests({ ...merchant, known: joinKnown(merchant.known, untouched.known) }),
        },
        {
          weight: 9,
          arbitrary: consoleRequests(merchant, {
            ...{ consoleUrl: stack.consoleUrl, webhookUrl: receiver.url, idsOfAnother: untouched.ids },
          }),
        },
        { weight: 1, arbitrary: otherRequests(basicAuthorization(stack), healthPorts) },
      );
      const generated = fc.sample(arbitrary, { numRuns: requestsOfMerchant, seed: seed + batch });
      const ordinary = generated.filter(({ route }) => !destructiveRoutes.has(route));
      const destructive = generated.filter(({ route }) => destructiveRoutes.has(route));
      const accepted = openAcceptedOrders();
      const work = async (left: FuzzRequest[]) => {
        for (let request = left.shift(); request && !isOver(); request = left.shift()) {
          const answer = await send(urlOf(request.target), request);
          const wrong = checkAnswer(request, answer);
          if (wrong !== undefined) result.findings.push({ what: wrong, request });
          const reached = reachedHandler(answer);
          routes.set(request.route, (routes.get(request.route) ?? false) || reached);
          count(result, request, answer, reached);
          if (request.target === 'api') accepted.see(request, answer);
        }
      };
      for (const some of [batch === 0 ? [...foundRequests] : [], ordinary, destructive])
        await Promise.all(Array.from({ length: atATime }, () => work(some)));
      const { count: readBack, changed } = await accepted.check(stack.apiUrl, merchant);
      result.readBack += readBack;
      result.findings.push(...changed.map((what) => ({ what })));
    }
    const after = processesOf(stack);
    if (JSON.stringify(after) !== JSON.stringify(before))
      result.findings.push({ what: `a process has ended: ${before.join(', ')} became ${after.join(', ')}` });
    for (const [name, number] of await uncaughtErrors(stack))
      if (number > 0) result.findings.push({ what: `${name} counts ${number} uncaught errors` });
    const changes = changesOf(everything, await readEverything(stack, untouched));
    result.findings.push(...changes.map((what) => ({ what: `data of another merchant: ${what}` })));
    const notReached = [...routes].filter(([, reached]) => !reached).map(([route]) => route);
    result.routes = { all: routes.size, reached: routes.size - notReached.length, notReached };
    return result;
  } finally {
    closeConnections();
    await stack.stop();
    await receiver.close();
  }
}

/** The processes with their starts: one that was restarted has another. */
const processesOf = (stack: Stack): string[] =>
  stack.processes().map(({ name, pid }) => `${name} ${identityOf(pid) ?? 'ended'}`);

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

const reachedOf = ({ sent }: FuzzResult): number =>
  [...sent.values()].reduce((sum, { reached }) => sum + reached, 0);

/** The ids of a merchant, and now and then those of another one, which it must not reach. */
const joinKnown = (own: Known, others: Known): Known =>
  Object.fromEntries(
    Object.entries(own).map(([name, ids]) => [name, [...ids, ...ids, ...ids, ...(others[name] ?? [])]]),
  );

const basicAuthorization = ({ dashboardUser, dashboardPassword }: Stack): string =>
  `Basic ${Buffer.from(`${dashboardUser}:${dashboardPassword}`).toString('base64')}`;

/** What the metrics of each process say about errors that nothing has caught. */
async function uncaughtErrors(stack: Stack): Promise<[name: string, number: number][]> {
  const read = async ([name, url]: [string, string]): Promise<[string, number]> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, value] = /^\w*uncaught_errors_total(?:\{[^}]*\})? (\d+)/m.exec(text) ?? [];
    if (value === undefined) throw new Error(`${name} does not count uncaught errors`);
    return [name, Number(value)];
  };
  return Promise.all(Object.entries(stack.healthUrls).map(read));
}
