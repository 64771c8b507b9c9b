import { setTimeout } from 'node:timers/promises';

/** What the client of the load has seen. */
export interface Traffic {
  accepted: number;
  /** Orders in accepted requests, repetitions included. */
  orders: number;
  /** Answers 503. */
  refused: number;
  /** Connections that were refused or broke, so that nobody knows whether the request counts. */
  broken: number;
  /** Longest from the first try to the acceptance, in milliseconds. */
  slowestMs: number;
}

/** A call of the public API. */
export interface ApiCall {
  url: string;
  key: string;
  body: object;
}

// Longer than any freeze: a client that gives up while its request is under way in a frozen process, and sends
// newer data meanwhile, could not say itself which of the two was sent last.
const answerTimeoutMs = 30_000;
const longestPauseMs = 1_000;

/**
 * Sends a request as the contract tells merchants to: the same body again, with exponential backoff, after a 503
 * or a broken connection, until it is accepted.
 * @throws at any other answer, and when it is not accepted by the deadline
 */
export async function sendUntilAccepted(
  call: ApiCall,
  traffic: Traffic,
  deadlineMs = 120_000,
): Promise<void> {
  const start = performance.now();
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const answer = await send(call).catch(() => undefined);
    if (answer && answer.status < 300) break;
    if (answer && answer.status !== 503)
      throw new Error(`${call.url} answered ${answer.status} ${answer.text}`);
    if (answer) traffic.refused += 1;
    else traffic.broken += 1;
    if (performance.now() - start > deadlineMs)
      throw new Error(`${call.url} accepted nothing for ${Math.round(deadlineMs / 1_000)} s`);
    await setTimeout(pauseMs);
  }
  traffic.accepted += 1;
  traffic.slowestMs = Math.max(traffic.slowestMs, performance.now() - start);
}

async function send({ url, key, body }: ApiCall): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  return { status: response.status, text: await response.text() };
}
