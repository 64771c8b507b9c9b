import { join } from 'node:path';
import fc from 'fast-check';
import { projectRoot, removeStackData, startReceiver, startStack } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { openStackAdmin } from '../tests/harness/stack-admin.ts';
import { processesOf, uncaughtErrors } from './checks/processes.ts';
import { openAcceptedOrders } from './checks/read-back.ts';
import type { Routes } from './checks/reached-route.ts';
import { changesOf, readEverything } from './checks/untouched.ts';
import { foundRequests } from './corpus/requests.ts';
import type { FuzzResult } from './fuzz-result.ts';
import { apiRequests, apiRoutes } from './requests/api-requests.ts';
import { consoleRequests, consoleRoutes } from './requests/console-requests.ts';
import type { FuzzRequest } from './requests/fuzz-request.ts';
import { otherRequests } from './requests/other-requests.ts';
import type { Known } from './requests/schema-values.ts';
import { closeConnections } from './requests/send.ts';
import { openSender } from './send-requests.ts';
import { openMerchant } from './service/open-merchant.ts';
import type { FuzzMerchant } from './service/open-merchant.ts';

export interface FuzzOptions {
  /** How many have to reach a handler. */
  requests: number;
  /** No request is sent after this time; infinite without a limit. */
  seconds: number;
  seed: number;
  log: (line: string) => void;
}

/** Requests that are made for one merchant: what they have changed and deleted would leave little for the next ones. */
const requestsOfMerchant = 10_000;
/** Requests that are sent before their access lines are read. */
const requestsOfPart = 250;
/** Routes that delete what the others need. They come last. */
const destructiveRoutes = new Set(['DELETE /api/console/team/members/:user_id']);
/** Findings after which no request is sent. */
const mostFindings = 20;
/** A run of this size reaches the handler of every route: it makes at least 25 requests for each. */
export const enoughForEveryRoute = 5_000;

const routes: Routes = new Map([...apiRoutes, ...consoleRoutes]);

/** Sends generated requests to the service, running as in production, and looks for what must not be. */
export async function runFuzz({ requests, seconds, seed, log }: FuzzOptions): Promise<FuzzResult> {
  const dataDir = join(projectRoot, '.local/fuzz');
  removeStackData(dataDir);
  const stack = await startStack({
    dataDir,
    ports: 'auto',
    env: {
      // Limits by address count those that the requests name.
      API_TRUST_PROXY: '1',
      CONSOLE_TRUST_PROXY: '1',
      API_ADDRESS_REQUESTS_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    },
    // They say which route a request came to.
    processEnv: { api: { LOG_LEVEL: 'info' }, console: { LOG_LEVEL: 'info' } },
  });
  const receiver = await startReceiver();
  try {
    const admin = openStackAdmin(stack.environment);
    const before = processesOf(stack);
    const untouched = await openMerchant(stack, admin, 'untouched', receiver.url);
    const everything = await readEverything(stack, untouched);
    const result: FuzzResult = {
      seed,
      sent: new Map(),
      statuses: new Map(),
      readBack: 0,
      routes: new Map([...routes.keys()].map((route) => [route, 0])),
      findings: [],
    };
    const sendPart = openSender(stack, routes, result);
    const until = performance.now() + seconds * 1_000;
    const isInterrupted = () => performance.now() > until || result.findings.length >= mostFindings;
    const isOver = () => reachedOf(result) >= requests || isInterrupted();
    for (let batch = 0; batch === 0 || !isOver(); batch += 1) {
      log(`${reachedOf(result)} requests reached a handler, ${result.findings.length} findings`);
      const merchant = await openMerchant(stack, admin, `shop-${batch}`, receiver.url);
      const accepted = openAcceptedOrders();
      const sendAll = async (some: FuzzRequest[], isEnough: () => boolean) => {
        for (let first = 0; first < some.length && !isEnough(); first += requestsOfPart)
          for (const { request, answer } of await sendPart(some.slice(first, first + requestsOfPart)))
            if (request.target === 'api') accepted.see(request, answer);
      };
      const generated = fc.sample(requestsFor(merchant, untouched, stack, receiver.url), {
        numRuns: requestsOfMerchant,
        seed: seed + batch,
      });
      const isDestructive = ({ route }: FuzzRequest) => destructiveRoutes.has(route);
      const ordinary = generated.filter((request) => !isDestructive(request));
      await sendAll(batch === 0 ? [...foundRequests, ...ordinary] : ordinary, isOver);
      await sendAll(generated.filter(isDestructive), isInterrupted);
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
    if (reachedOf(result) >= enoughForEveryRoute)
      for (const [route, reached] of result.routes)
        if (reached === 0) result.findings.push({ what: `no request reached the handler of ${route}` });
    return result;
  } finally {
    closeConnections();
    await stack.stop();
    await receiver.close();
  }
}

/** Requests for every server. Most are of one merchant, and some name ids of another one. */
function requestsFor(
  merchant: FuzzMerchant,
  untouched: FuzzMerchant,
  { consoleUrl, healthUrls, dashboardUser, dashboardPassword }: Stack,
  webhookUrl: string,
): fc.Arbitrary<FuzzRequest> {
  const authorization = `Basic ${Buffer.from(`${dashboardUser}:${dashboardPassword}`).toString('base64')}`;
  const known = joinKnown(merchant.known, untouched.known);
  return fc.oneof(
    { weight: 9, arbitrary: apiRequests({ ...merchant, known }) },
    {
      weight: 9,
      arbitrary: consoleRequests(merchant, { consoleUrl, webhookUrl, idsOfAnother: untouched.ids }),
    },
    { weight: 1, arbitrary: otherRequests(authorization, Object.keys(healthUrls)) },
  );
}

const reachedOf = ({ sent }: FuzzResult): number =>
  [...sent.values()].reduce((sum, { reached }) => sum + reached, 0);

/** The ids of a merchant, and now and then those of another one, which it must not reach. */
const joinKnown = (own: Known, others: Known): Known =>
  Object.fromEntries(
    Object.entries(own).map(([name, ids]) => [name, [...ids, ...ids, ...ids, ...(others[name] ?? [])]]),
  );
