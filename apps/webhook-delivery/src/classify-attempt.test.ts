import { classifyAttempt } from './classify-attempt.ts';
import type { AttemptFacts } from './classify-attempt.ts';

const timings = { totalMs: 1 };
const answer = (status: number, retryAfterSeconds?: number): AttemptFacts['outcome'] => ({
  result: 'response',
  status,
  responseHeaders: {},
  responseBody: '',
  truncated: false,
  timings,
  connectionReused: false,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const failure = (errorClass: 'timeout' | 'aborted'): AttemptFacts['outcome'] => ({
  result: 'error',
  errorClass,
  message: 'no',
  timings,
  connectionReused: false,
});
const judged = (outcome: AttemptFacts['outcome'], scheduleStep = 0) =>
  classifyAttempt({
    deliveryId: 'd',
    merchantId: 'm',
    leaseExpiresAt: '2026-11-21 00:00:30+00',
    url: 'https://shop.example/',
    startedAt: new Date(0),
    scheduleStep,
    probe: false,
    retryHours: null,
    outcome,
  });

describe('an attempt', () => {
  it.each([200, 201, 204, 299])('with %d delivers', (status) => {
    expect(judged(answer(status)).row).toMatchObject({ state: 'delivered', retryInSeconds: null });
  });

  it.each([301, 302, 400, 401, 404, 429, 500, 503])('with %d is tried again', (status) => {
    expect(judged(answer(status)).row).toMatchObject({ state: 'pending', status });
  });

  it('is tried again after 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, at most a tenth later, and then given up', () => {
    const schedule = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    schedule.forEach((seconds, step) => {
      const { retryInSeconds } = judged(failure('timeout'), step).row;
      expect(retryInSeconds).toBeGreaterThanOrEqual(seconds);
      expect(retryInSeconds).toBeLessThanOrEqual(seconds * 1.1 + 0.001);
    });
    expect(judged(failure('timeout'), schedule.length).row).toMatchObject({
      state: 'exhausted',
      retryInSeconds: null,
    });
  });

  it('waits as long as Retry-After says, and says so to the endpoint', () => {
    const { row, pauseSeconds } = judged(answer(503, 3_600));
    expect(row.retryInSeconds).toBeGreaterThanOrEqual(3_600);
    expect(pauseSeconds).toBe(3_600);
    expect(judged(answer(200, 3_600)).pauseSeconds).toBeUndefined();
    const unfinished = { ...failure('timeout'), status: 429, retryAfterSeconds: 3_600 };
    expect(judged(unfinished).pauseSeconds).toBe(3_600);
  });

  it('keeps the headers that were sent, and none when nothing was sent', () => {
    const requestHeaders = { host: 'shop.example', 'content-length': '2' };
    expect(judged({ ...answer(200), requestHeaders }).row.requestHeaders).toEqual(requestHeaders);
    expect(judged(failure('timeout')).row.requestHeaders).toBeNull();
  });

  it('with 410 says that the receiver is gone for good', () => {
    expect(judged(answer(410)).gone).toBe(true);
    expect(judged(answer(404)).gone).toBe(false);
  });

  it('that our own end cut off is due again at once and uses up no retry', () => {
    expect(judged(failure('aborted'), 10).row).toMatchObject({
      state: 'pending',
      retryInSeconds: 0,
      advancesSchedule: false,
    });
    expect(judged(failure('timeout')).row.advancesSchedule).toBe(true);
  });
});
