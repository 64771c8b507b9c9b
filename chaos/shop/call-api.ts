import { setTimeout } from 'node:timers/promises';
import type { Outcome } from '../ledger/entries.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Senders } from '../service/senders.ts';

/** A call of the API of a shop. */
export interface ApiCall {
  /** What it does, such as `sync` or `link`: the checks find the calls by it. */
  call: string;
  /** Default POST with a body, GET without one. */
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  /** Default: the secret key of the shop. */
  key?: string;
  /** Which API process, from 0; default one after the other. */
  api?: number;
  /** Milliseconds without an answer after which the connection is closed; default 30,000. */
  giveUpAfterMs?: number;
}

/** What is known about a call. */
export interface Answer {
  outcome: Outcome;
  /** Undefined without an answer. */
  status?: number;
  body?: unknown;
}

/** Sends the calls of one shop. */
export interface ApiClient {
  /** Sends a call once, whatever becomes of it. */
  call(call: ApiCall): Promise<Answer>;
  /**
   * Sends it again after 429, 5xx, no answer, and the `tooEarly` codes of a 409 or 404, as the documents tell merchants, until it has
   * another answer.
   * @throws when it has none within the deadline, by default 90 s
   */
  repeat(call: ApiCall, options?: { tooEarly?: string[]; deadlineMs?: number }): Promise<Answer>;
}

let lastId = 0;

/** Opens a client. Every call is in the ledger before it is sent. */
export function openApiClient(options: {
  ledger: Ledger;
  senders: Senders;
  apiUrls: readonly string[];
  shop: string;
  key: string;
}): ApiClient {
  const { ledger, senders, apiUrls, shop, key: secretKey } = options;
  let next = 0;
  const callNow = async (given: ApiCall): Promise<Answer> => {
    const { call: name, path, body, idempotencyKey, key = secretKey, giveUpAfterMs = 30_000 } = given;
    const api = given.api ?? next++ % apiUrls.length;
    const method = given.method ?? (body === undefined ? 'GET' : 'POST');
    const id = (lastId += 1);
    // Reads are not in the ledger: what the checks need of them is written down as observed.
    const isWritten = method !== 'GET';
    if (isWritten)
      ledger.write({
        kind: 'sent',
        id,
        shop,
        call: name,
        api,
        method,
        path,
        body,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
    const answer = await send();
    if (isWritten) ledger.write({ kind: 'answered', id, ...toEntry(answer) });
    return answer;

    async function send(): Promise<Answer> {
      try {
        const response = await fetch(`${apiUrls[api]}${path}`, {
          method,
          headers: {
            'x-service-key': key,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(giveUpAfterMs),
        });
        const text = await response.text();
        return { outcome: outcomeOf(response.status), status: response.status, body: parse(text) };
      } catch {
        return { outcome: 'unknown' };
      }
    }
  };
  const call = (given: ApiCall) => senders.send(() => callNow(given));
  return {
    call,
    async repeat(given, { tooEarly = [], deadlineMs = 90_000 } = {}) {
      const end = performance.now() + deadlineMs;
      for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
        const answer = await call(given);
        const isTooEarly = tooEarly.includes(codeOf(answer));
        if (answer.outcome !== 'unknown' && answer.status !== 429 && !isTooEarly) return answer;
        if (performance.now() > end)
          throw new Error(
            `${given.call} of ${shop} had no answer within ${deadlineMs / 1_000} s: ${JSON.stringify(answer)}`,
          );
        await setTimeout(pauseMs);
      }
    },
  };
}

/** A 5xx does not say whether the request has an effect. */
function outcomeOf(status: number): Outcome {
  if (status < 300) return 'ok';
  return status < 500 ? 'refused' : 'unknown';
}

/** The code of an error; empty in other answers. */
function codeOf({ body }: Answer): string {
  return (body as { code?: string } | undefined)?.code ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toEntry({ outcome, status, body }: Answer) {
  return {
    outcome,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { answer: body }),
  };
}
