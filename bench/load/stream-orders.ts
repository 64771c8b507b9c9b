import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../measure/statistics.ts';
import { setPrecedence } from '../tasks/precedence.ts';
import { serveTask } from '../tasks/serve-task.ts';
import { openOrderBodies } from './order-bodies.ts';
import type { Latencies, StreamPlan, StreamResult } from './stream-plan.ts';

/** How often requests that are due are sent, in milliseconds. */
const tickMs = 2;
/** A client that gets no response gives up. */
const timeoutMs = 30_000;

// The load generator of an overload, as a process. It sends what is due over as many connections as that needs. Bodies are made
// when they are sent, so their number is not limited by memory.
serveTask<StreamPlan, null, StreamResult>(async (plan) => {
  const { origin, pathname } = new URL(plan.url);
  setPrecedence(true);
  const pool = new Pool(origin, {
    connections: null,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const bodies = openOrderBodies(plan, plan.batch);
  const headers = { 'content-type': 'application/json', 'x-service-key': plan.key };

  /** The response to one request, and whether it has Retry-After; undefined without a response. */
  const post = async (request: number): Promise<{ status: number; retryAfter: boolean } | undefined> => {
    try {
      const body = bodies.make(request);
      const response = await pool.request({ method: 'POST', path: pathname, headers, body });
      await response.body.dump();
      return { status: response.statusCode, retryAfter: response.headers['retry-after'] !== undefined };
    } catch {
      // It is counted as a request without a response.
      return undefined;
    }
  };
  return { ready: null, call: () => sendAtRate(plan, post) };
});

async function sendAtRate(
  { perSecond, seconds, lateMs }: StreamPlan,
  post: (request: number) => Promise<{ status: number; retryAfter: boolean } | undefined>,
): Promise<StreamResult> {
  const started = performance.now();
  const last = Math.round(perSecond * seconds);
  const accepted: number[] = [];
  const refused: number[] = [];
  const acceptedRequests: number[] = [];
  const responses: Record<string, number> = {};
  let withoutRetryAfter = 0;
  let lastBadSeconds = 0;

  const send = async (request: number): Promise<void> => {
    const due = started + (request / perSecond) * 1_000;
    const response = await post(request);
    const ms = performance.now() - due;
    const name = response ? String(response.status) : 'error';
    responses[name] = (responses[name] ?? 0) + 1;
    if (response?.status === 202) {
      accepted.push(ms);
      acceptedRequests.push(request);
    } else if (response) {
      refused.push(ms);
      if (!response.retryAfter) withoutRetryAfter += 1;
    }
    if (response?.status !== 202 || ms > lateMs)
      lastBadSeconds = Math.max(lastBadSeconds, (performance.now() - started) / 1_000);
  };

  const pending = new Set<Promise<unknown>>();
  for (let next = 0; next < last; await setTimeout(tickMs)) {
    const due = Math.min(last, Math.floor(((performance.now() - started) / 1_000) * perSecond) + 1);
    for (; next < due; next += 1) {
      const sending: Promise<unknown> = send(next).finally(() => pending.delete(sending));
      pending.add(sending);
    }
  }
  await Promise.all(pending);
  return {
    seconds: (performance.now() - started) / 1_000,
    sent: last,
    accepted: latenciesOf(accepted),
    refused: latenciesOf(refused),
    acceptedRequests,
    responses,
    withoutRetryAfter,
    lastBadSeconds,
  };
}

function latenciesOf(values: number[]): Latencies {
  const ascending = values.toSorted((a, b) => a - b);
  return {
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    maxMs: percentile(ascending, 1),
  };
}
