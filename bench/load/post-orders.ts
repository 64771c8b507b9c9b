import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../measure/statistics.ts';
import { serveTask } from '../tasks/serve-task.ts';
import { makeOrders } from './make-orders.ts';
import type { PostPlan, PostResult } from './post-plan.ts';

const mostRefusals = 5;

// The load generator, as a process. All bodies are made before the first one is sent.
serveTask<PostPlan, null, PostResult>(async (plan) => {
  const bodies: Buffer[] = [];
  for (let from = 0; from < plan.orders; from += plan.batch) {
    const orders = makeOrders(plan, from, Math.min(from + plan.batch, plan.orders));
    bodies.push(Buffer.from(JSON.stringify({ orders })));
  }
  const { origin, pathname } = new URL(plan.url);
  const pool = new Pool(origin, { connections: plan.connections, pipelining: 1 });
  const headers = { 'content-type': 'application/json', 'x-service-key': plan.key };

  // After a 503 the request is sent again, as the contract requires: on an overloaded machine the queue may time out.
  const post = async (body: Buffer): Promise<number> => {
    for (let refused = 0; ; refused += 1) {
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode === 202) return refused;
      if (answer.statusCode !== 503 || refused === mostRefusals)
        throw new Error(`${answer.statusCode} ${text}`);
      await setTimeout(100 * 2 ** refused);
    }
  };

  return { ready: null, call: () => sendAll(plan, bodies, post) };
});

async function sendAll(
  { connections, perSecond, seconds }: PostPlan,
  bodies: Buffer[],
  post: (body: Buffer) => Promise<number>,
): Promise<PostResult> {
  const latencies: number[] = [];
  const startedAt = Date.now();
  const started = performance.now();
  const last = seconds === undefined ? bodies.length : Number.POSITIVE_INFINITY;
  const ends = seconds === undefined ? Number.POSITIVE_INFINITY : started + seconds * 1_000;
  let sent = 0;
  let refused = 0;

  const connection = async () => {
    while (sent < last && performance.now() < ends) {
      const index = sent;
      sent += 1;
      const from =
        perSecond === undefined ? performance.now() : await waitUntil(started + (index / perSecond) * 1_000);
      refused += await post(bodies[index % bodies.length] ?? Buffer.alloc(0));
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
