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
const pauseAfterRefusalMs = 100;
/** The beginning of a load, in which its clients connect, in milliseconds. */
const beginningMs = 10_000;

// The load generator for long runs, as a process. Bodies are made when they are sent, so their number is not limited by
// memory, and every order_id is sent once (or as often as `repeatEvery` says).
serveTask<StreamPlan, null, StreamResult>(async (plan) => {
  const { origin, pathname } = new URL(plan.url);
  const { pace } = plan;
  setPrecedence(pace.kind === 'rate');
  const pool = new Pool(origin, {
    connections: pace.kind === 'rate' ? null : pace.connections,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  let connections = 0;
  pool.on('connect', () => (connections += 1));
  const bodies = openOrderBodies(plan, plan.batch);

  /** The response to one request, and whether it has Retry-After. A failed request has the status 0. */
  const post = async (request: number): Promise<{ status: number; retryAfter: boolean }> => {
    const repeated = plan.repeatEvery !== undefined && request % plan.repeatEvery === 0;
    const body = bodies.make(repeated ? Math.floor(request / 2) : request);
    const key = plan.keys[request % plan.keys.length] ?? '';
    const headers = { 'content-type': 'application/json', 'x-service-key': key };
    try {
      const response = await pool.request({ method: 'POST', path: pathname, headers, body });
      await response.body.dump();
      return {
        status: response.statusCode,
        retryAfter: response.headers['retry-after'] !== undefined,
      };
    } catch {
      // It is counted as a request without a response.
      return { status: 0, retryAfter: true };
    }
  };

  return {
    ready: null,
    async call() {
      const collected = collect(plan.lateMs ?? Number.POSITIVE_INFINITY);
      const { send } = collected;
      await (pace.kind === 'rate' ? sendAtRate(pace, post, send) : sendUntilAccepted(pace, post, send));
      return collected.result(connections);
    },
  };
});

type Post = (request: number) => Promise<{ status: number; retryAfter: boolean }>;
type Send = (request: number, due: number, post: Post) => Promise<boolean>;

async function sendAtRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  post: Post,
  send: Send,
): Promise<void> {
  const started = performance.now();
  const last = Math.round(perSecond * seconds);
  const pending = new Set<Promise<unknown>>();
  for (let next = 0; next < last; await setTimeout(tickMs)) {
    const due = Math.min(last, Math.floor(((performance.now() - started) / 1_000) * perSecond) + 1);
    for (; next < due; next += 1) {
      const sending: Promise<unknown> = send(next, started + (next / perSecond) * 1_000, post).finally(() =>
        pending.delete(sending),
      );
      pending.add(sending);
    }
  }
  await Promise.all(pending);
}

async function sendUntilAccepted(
  { requests, connections }: { requests: number; connections: number },
  post: Post,
  send: Send,
): Promise<void> {
  let next = 0;
  const connection = async () => {
    while (next < requests) {
      const request = next;
      next += 1;
      while (!(await send(request, performance.now(), post))) await setTimeout(pauseAfterRefusalMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

/** Sends requests and collects the responses. */
function collect(lateMs: number): { send: Send; result(connections: number): StreamResult } {
  const startedAt = Date.now();
  const started = performance.now();
  const accepted: number[] = [];
  const acceptedLater: number[] = [];
  const refused: number[] = [];
  const acceptedRequests: number[] = [];
  const responses: Record<string, number> = {};
  let sent = 0;
  let withoutRetryAfter = 0;
  let lastBadSeconds = 0;
  return {
    async send(request, due, post) {
      sent += 1;
      const { status, retryAfter } = await post(request);
      const ms = performance.now() - due;
      const name = status === 0 ? 'error' : String(status);
      responses[name] = (responses[name] ?? 0) + 1;
      if (status === 202) {
        accepted.push(ms);
        if (due - started >= beginningMs) acceptedLater.push(ms);
        acceptedRequests.push(request);
      } else if (status !== 0) {
        refused.push(ms);
        if (!retryAfter) withoutRetryAfter += 1;
      }
      if (status !== 202 || ms > lateMs)
        lastBadSeconds = Math.max(lastBadSeconds, (performance.now() - started) / 1_000);
      return status === 202;
    },
    result: (connections) => ({
      startedAt,
      seconds: (performance.now() - started) / 1_000,
      sent,
      accepted: latenciesOf(accepted),
      acceptedLater: latenciesOf(acceptedLater),
      refused: latenciesOf(refused),
      acceptedRequests,
      responses,
      withoutRetryAfter,
      connections,
      lastBadSeconds,
    }),
  };
}

function latenciesOf(values: number[]): Latencies {
  const ascending = values.toSorted((a, b) => a - b);
  return {
    count: ascending.length,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    maxMs: percentile(ascending, 1),
  };
}
