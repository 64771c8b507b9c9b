import { openInFlightLimit } from './in-flight-limit.ts';
import type { Answer } from './in-flight-limit.ts';

const answer = (over: Partial<Answer>): Answer => ({
  delivered: true,
  overloaded: false,
  milliseconds: 20,
  inFlight: 1,
  startedAt: performance.now(),
  ...over,
});
const full = (limit: ReturnType<typeof openInFlightLimit>, over: Partial<Answer> = {}) =>
  limit.learn(answer({ inFlight: limit.value(), ...over }));

describe('the limit of requests in flight', () => {
  it('grows by one with each success that used it up, to the most that is allowed', () => {
    const limit = openInFlightLimit(4, 32);
    for (let times = 0; times < 10; times += 1) full(limit);
    expect(limit.value()).toBe(14);
    for (let times = 0; times < 100; times += 1) full(limit);
    expect(limit.value()).toBe(32);
  });

  it('does not grow while it is not used up', () => {
    const limit = openInFlightLimit(4, 32);
    for (let times = 0; times < 100; times += 1) limit.learn(answer({ inFlight: 3 }));
    expect(limit.value()).toBe(4);
  });

  it('is halved by overload, once for the requests of one round, and never falls below one', () => {
    const limit = openInFlightLimit(16, 32);
    const startedAt = performance.now();
    for (let times = 0; times < 16; times += 1)
      limit.learn(answer({ delivered: false, overloaded: true, inFlight: 16, startedAt: startedAt - 1 }));
    expect(limit.value()).toBe(8);
    for (let times = 0; times < 10; times += 1) {
      const later = performance.now() + 1;
      limit.learn(answer({ delivered: false, overloaded: true, startedAt: later }));
    }
    expect(limit.value()).toBe(1);
  });

  it('grows by one a round after it was cut', () => {
    const limit = openInFlightLimit(8, 32);
    limit.learn(answer({ delivered: false, overloaded: true }));
    expect(limit.value()).toBe(4);
    for (let times = 0; times < 5; times += 1) full(limit);
    expect(limit.value()).toBe(5);
  });

  it('falls when answers become much slower than they were, and not for a lone slow one', () => {
    const limit = openInFlightLimit(20, 32);
    full(limit, { milliseconds: 20 });
    const before = limit.value();
    limit.learn(answer({ milliseconds: 5_000, inFlight: 1 }));
    expect(limit.value()).toBe(before);
    full(limit, { milliseconds: 5_000 });
    expect(limit.value()).toBeLessThan(before);
  });

  it('is not touched by an error that says nothing about load', () => {
    const limit = openInFlightLimit(8, 32);
    limit.learn(answer({ delivered: false, inFlight: 8 }));
    expect(limit.value()).toBe(8);
  });
});
