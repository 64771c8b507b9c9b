import type { AttemptResult } from '@rewardhook/webhook';
import { classifyAttempt } from './classify-attempt.ts';

const timings = { totalMs: 1 };
const response = (status: number, retryAfterSeconds?: number): AttemptResult => ({
  result: 'response',
  status,
  responseHeaders: {},
  responseBody: '',
  truncated: false,
  timings,
  connectionReused: false,
  retriedOnNewConnection: false,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const error = (errorClass: 'timeout' | 'aborted'): AttemptResult => ({
  result: 'error',
  errorClass,
  message: 'no',
  timings,
  connectionReused: false,
  retriedOnNewConnection: false,
});
const classify = (result: AttemptResult, scheduleStep = 0) =>
  classifyAttempt(
    { startedAt: new Date(0), result },
    {
      delivery: { id: 'd', leaseExpiresAt: '2026-11-21 00:00:30+00', scheduleStep },
      endpoint: { merchantId: 'm', url: 'https://shop.example/', retryHours: null },
      probe: false,
    },
  );

describe('An attempt', () => {
  it.each([200, 201, 204, 299])('answered with %d is delivered', (status) => {
    expect(classify(response(status)).record).toMatchObject({ state: 'delivered', retryInSeconds: null });
  });

  it.each([301, 302, 400, 401, 404, 429, 500, 503])('answered with %d is retried', (status) => {
    expect(classify(response(status)).record).toMatchObject({ state: 'pending', status });
  });

  it('is retried after 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, at most a tenth later, and is then exhausted', () => {
    const schedule = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    schedule.forEach((seconds, step) => {
      const { retryInSeconds } = classify(error('timeout'), step).record;
      expect(retryInSeconds).toBeGreaterThanOrEqual(seconds);
      expect(retryInSeconds).toBeLessThanOrEqual(seconds * 1.1 + 0.001);
    });
    expect(classify(error('timeout'), schedule.length).record).toMatchObject({
      state: 'exhausted',
      retryInSeconds: null,
    });
  });

  it('is retried after Retry-After, which also applies to the endpoint', () => {
    const { record, retryAfterSeconds } = classify(response(503, 3_600));
    expect(record.retryInSeconds).toBeGreaterThanOrEqual(3_600);
    expect(retryAfterSeconds).toBe(3_600);
    expect(classify(response(200, 3_600)).retryAfterSeconds).toBeUndefined();
  });

  it('is delivered by the status alone, and stores what was wrong with the response', () => {
    const odd = { ...response(204), warning: 'Parse Error', retriedOnNewConnection: true } as AttemptResult;
    const { outcome, record } = classify(odd);
    expect([outcome, record.state]).toEqual(['delivered', 'delivered']);
    expect(record).toMatchObject({ warning: 'Parse Error', retriedOnNewConnection: true, ignored: false });
    expect(classify(response(200)).record).toMatchObject({ warning: null, retriedOnNewConnection: false });
  });

  it.each([
    [200, '{"code": "ignored", "ignored": true}', true],
    [200, '{"ignored": "true"}', false],
    [200, '[{"ignored": true}]', false],
    [200, 'ignored', false],
    [200, '"ignored": true', false],
    [500, '{"ignored": true}', false],
  ])('of status %i with the body %s is stored as ignored: %p', (status, responseBody, ignored) => {
    const result = { ...response(status), responseBody } as AttemptResult;
    expect(classify(result).record.ignored).toBe(ignored);
  });

  it('records the headers that were sent, and none when nothing was sent', () => {
    const requestHeaders = { host: 'shop.example', 'content-length': '2' };
    expect(classify({ ...response(200), requestHeaders }).record.requestHeaders).toEqual(requestHeaders);
    expect(classify(error('timeout')).record.requestHeaders).toBeNull();
  });

  it('answered with 410 marks the receiver as gone', () => {
    expect(classify(response(410)).gone).toBe(true);
    expect(classify(response(404)).gone).toBe(false);
  });

  it('that this process aborted is due again at once and does not advance the retry schedule', () => {
    expect(classify(error('aborted'), 10).record).toMatchObject({
      state: 'pending',
      retryInSeconds: 0,
      advancesSchedule: false,
    });
    expect(classify(error('timeout')).record.advancesSchedule).toBe(true);
  });
});
