import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { Redis } from 'ioredis';
import { killProcess } from '../faults/kill-process.ts';
import { whileFrozen } from '../faults/freeze-process.ts';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import { percentile } from '../outage-times.ts';
import type { Service } from '../service/open-service.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** How often Redis is killed, and how often it is frozen, and for how long, in milliseconds. */
const kills = 10;
const freezes = 3;
const frozenMs = 3_000;

/** The index of an API that reaches the servers directly. */
const api = 2;

/** From one answer to the next request, in milliseconds. */
const pauseMs = 5;

/** What came of one request. */
interface Sample {
  sentAt: number;
  endedAt: number;
  status: number | undefined;
}

/** Measures what a shop that sends one order at a time waits for an answer while Redis is away, and when it returns. */
export const answerTimes: Scenario = {
  name: 'answer-times',
  what: `A client sends one order at a time while Redis is killed ${kills} times and frozen ${freezes} times`,
  situation: 'in each outage a request was answered 503, and one was accepted afterwards',
  besideFaults: false,
  alone: true,
  onlyByName: true,
  async run(context) {
    const shop = await context.shop('shop', { webhooks: 0 });
    const down: number[] = [];
    const accepted: number[] = [];
    const frozen: number[] = [];
    for (let number = 0; number < kills && !context.signal.aborted; number += 1) {
      const { returnedAt, samples } = await whileSending(context, shop, `kill-${number}`, async () => {
        const back = untilItAnswers(context.service);
        await killProcess(context.service, 'redis', 'SIGKILL');
        return back;
      });
      down.push(...refusals(samples.filter(({ endedAt }) => endedAt < returnedAt)));
      const first = samples.find(({ endedAt, status }) => endedAt > returnedAt && status === 202);
      if (first) accepted.push(first.endedAt - returnedAt);
    }
    let refusedWhileFrozen = 0;
    for (let number = 0; number < freezes && !context.signal.aborted; number += 1) {
      const { samples } = await whileSending(context, shop, `freeze-${number}`, async () => {
        await whileFrozen(context.service, 'redis', () => setTimeout(frozenMs));
        return now();
      });
      const times = refusals(samples);
      if (times.length > 0) refusedWhileFrozen += 1;
      frozen.push(...times);
    }
    context.measured('503 while Redis is down, median', percentile(down, 0.5));
    context.measured('503 while Redis is down, p99', percentile(down, 0.99));
    context.measured('503 while Redis is frozen, longest', percentile(frozen, 1));
    context.measured('202 again after the return of Redis, median', percentile(accepted, 0.5));
    if (down.length >= kills && accepted.length === kills && refusedWhileFrozen === freezes)
      context.reached();
  },
};

/** The times of the answers 503, in milliseconds. */
const refusals = (samples: readonly Sample[]) =>
  samples.filter(({ status }) => status === 503).map(({ sentAt, endedAt }) => endedAt - sentAt);

/** Sends orders to one API, one after the other, from before an outage until one was accepted after it. */
async function whileSending(
  { round }: ScenarioContext,
  shop: Shop,
  name: string,
  outage: () => Promise<number>,
): Promise<{ returnedAt: number; samples: Sample[] }> {
  const over = new AbortController();
  const samples: Sample[] = [];
  const send = async () => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      const order = makeOrder({ order_id: `${round}-${name}-${index}`, member_id: `${round}-member` });
      const sentAt = now();
      const { status } = await shop.sync([order], { api });
      samples.push({ sentAt, endedAt: now(), status });
      await setTimeout(pauseMs);
    }
  };
  const sending = inBackground(send());
  try {
    await waitFor(() => samples.some(({ status }) => status === 202), { what: 'the first accepted order' });
    const returnedAt = await outage();
    await waitFor(() => samples.some(({ sentAt, status }) => sentAt > returnedAt && status === 202), {
      deadlineMs: 30_000,
      what: 'an accepted order after the outage',
    });
    return { returnedAt, samples };
  } finally {
    over.abort();
    await sending;
  }
}

/** Resolves with the moment at which Redis answers again after it has stopped to. */
async function untilItAnswers({ stack }: Service): Promise<number> {
  const answers = async () => {
    const redis = new Redis(stack.redisUrl, { lazyConnect: true, retryStrategy: null, connectTimeout: 500 });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return (await redis.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      redis.disconnect();
    }
  };
  await waitFor(async () => !(await answers()), { deadlineMs: 30_000, everyMs: 5, what: 'the end of Redis' });
  await waitFor(answers, { deadlineMs: 30_000, everyMs: 5, what: 'the return of Redis' });
  return now();
}
