import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { percentile } from '../measure/statistics.ts';
import { setPrecedence } from '../tasks/precedence.ts';
import { serveTask } from '../tasks/serve-task.ts';
import { makeOrders } from './make-orders.ts';
import { planRequests } from './post-plan.ts';
import type { PostPlan, PostResult } from './post-plan.ts';

/** An attack beyond the limits of the service is refused often before it is accepted. */
const mostRefusals = 200;
const mostWaitMs = 1_600;

interface Request {
  body: Buffer;
  headers: Record<string, string>;
}

// The load generator, as a process. All bodies are made before the first one is sent, and what they were made of is collected:
// otherwise V8 does that with four threads during the first half second of the measurement.
serveTask<PostPlan, null, PostResult>(async (plan) => {
  setPrecedence(plan.perSecond !== undefined);
  const keys = [plan.key].flat();
  const requests = planRequests(plan).map(({ from, to, merchant }) => ({
    body: Buffer.from(JSON.stringify({ orders: makeOrders(plan, from, to) })),
    headers: { 'content-type': 'application/json', 'x-service-key': keys[merchant] ?? '' },
  }));
  collectGarbage();
  const { origin, pathname } = new URL(plan.url);
  const pool = new Pool(origin, { connections: plan.connections, pipelining: 1 });

  // After a 503 the request is sent again, as the contract requires: on an overloaded machine the queue may time out.
  // So it is after a 429: the merchant has as much waiting as it may.
  const post = async ({ body, headers }: Request): Promise<number> => {
    for (let refused = 0; ; refused += 1) {
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode === 202) return refused;
      if (answer.statusCode === 429) await setTimeout(Number(answer.headers['retry-after']) * 1_000);
      else if (answer.statusCode === 503 && refused < mostRefusals)
        await setTimeout(Math.min(100 * 2 ** refused, mostWaitMs));
      else throw new Error(`${answer.statusCode} ${text.slice(0, 1_000)}`);
    }
  };

  return { ready: null, call: () => sendAll(plan, requests, post) };
});

async function sendAll(
  { connections, perSecond, seconds }: PostPlan,
  requests: Request[],
  post: (request: Request) => Promise<number>,
): Promise<PostResult> {
  const latencies: number[] = [];
  const startedAt = Date.now();
  const started = performance.now();
  const last = seconds === undefined ? requests.length : Number.POSITIVE_INFINITY;
  const ends = seconds === undefined ? Number.POSITIVE_INFINITY : started + seconds * 1_000;
  let sent = 0;
  let refused = 0;

  const connection = async () => {
    while (sent < last && performance.now() < ends) {
      const index = sent;
      sent += 1;
      const from =
        perSecond === undefined ? performance.now() : await waitUntil(started + (index / perSecond) * 1_000);
      refused += await post(requests[index % requests.length] as Request);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  latencies.sort((a, b) => a - b);
  return {
    startedAt,
    requests: latencies.length,
    refused,
    seconds: (performance.now() - started) / 1_000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
  };
}

/**
 * Waits until a request is due and returns the start of its latency: the due time if no connection was free then,
 * because the server caused the wait; the current time if only the timer was late.
 */
async function waitUntil(due: number): Promise<number> {
  if (performance.now() >= due) return due;
  await setTimeout(due - performance.now());
  return performance.now();
}

/** Collects garbage now. Node has no function for that without a flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
