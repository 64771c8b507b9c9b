import { setTimeout } from 'node:timers/promises';

/** Counts of the requests of the load. */
export interface Traffic {
  accepted: number;
  /** Orders in accepted requests; an order that was sent twice counts twice. */
  orders: number;
  /** Longest time from the first try to acceptance, in milliseconds. */
  slowestMs: number;
}

/** A call of the public API. */
export interface ApiCall {
  url: string;
  key: string;
  body: object;
  /** Of a correction: it is made once, however often it is sent. */
  idempotencyKey?: string;
  /** Codes of errors after which it is sent again: its order is not stored yet, or orders of its members are being evaluated. */
  tooEarly?: string[];
}

// Longer than any restart. If a client gave up while a process holds its request, and sent newer data, the order of the two would be
// undefined.
const answerTimeoutMs = 30_000;
const longestPauseMs = 1_000;

/**
 * Sends a request as the contract requires of merchants: after a 503 or a broken connection the same body again, with
 * exponential backoff, until it is accepted.
 * @throws on any other response, and when it is not accepted by the deadline
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
    const isTooEarly = answer !== undefined && call.tooEarly?.includes(codeOf(answer.text)) === true;
    if (answer && answer.status !== 503 && !isTooEarly)
      throw new Error(`${call.url} answered ${answer.status} ${answer.text}`);
    if (performance.now() - start > deadlineMs)
      throw new Error(
        `${call.url} accepted nothing for ${Math.round(deadlineMs / 1_000)} s: ${answer?.text ?? 'no answer'}`,
      );
    await setTimeout(pauseMs);
  }
  traffic.accepted += 1;
  traffic.slowestMs = Math.max(traffic.slowestMs, performance.now() - start);
}

async function send({ url, key, body, idempotencyKey }: ApiCall): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-key': key,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  return { status: response.status, text: await response.text() };
}

/** The code of an error; empty when the text is none. */
const codeOf = (text: string): string => /^\{"code":"(\w+)"/.exec(text)?.[1] ?? '';
