import { openConcurrencyLimit } from './concurrency-limit.ts';
import type { LoadSample } from './concurrency-limit.ts';

const sample = (over: Partial<LoadSample>): LoadSample => ({
  delivered: true,
  overloaded: false,
  inFlight: 1,
  startedAt: performance.now(),
  ...over,
});
const full = (limit: ReturnType<typeof openConcurrencyLimit>, over: Partial<LoadSample> = {}) =>
  limit.observe(sample({ inFlight: limit.value(), ...over }));

describe('The concurrency limit of an endpoint', () => {
  it('grows by one with each success that used it fully, up to its maximum', () => {
    const limit = openConcurrencyLimit(4, 32);
    for (let times = 0; times < 10; times += 1) full(limit);
    expect(limit.value()).toBe(14);
    for (let times = 0; times < 100; times += 1) full(limit);
    expect(limit.value()).toBe(32);
  });

  it('does not grow while it is not used fully', () => {
    const limit = openConcurrencyLimit(4, 32);
    for (let times = 0; times < 100; times += 1) limit.observe(sample({ inFlight: 3 }));
    expect(limit.value()).toBe(4);
  });

  it('is halved by an overloaded receiver, once for the requests of one round, and never falls below one', () => {
    const limit = openConcurrencyLimit(16, 32);
    const startedAt = performance.now();
    for (let times = 0; times < 16; times += 1)
      limit.observe(sample({ delivered: false, overloaded: true, inFlight: 16, startedAt: startedAt - 1 }));
    expect(limit.value()).toBe(8);
    for (let times = 0; times < 10; times += 1) {
      const later = performance.now() + 1;
      limit.observe(sample({ delivered: false, overloaded: true, startedAt: later }));
    }
    expect(limit.value()).toBe(1);
  });

  it('grows again by one with each success after it was halved', () => {
    const limit = openConcurrencyLimit(8, 32);
    limit.observe(sample({ delivered: false, overloaded: true }));
    expect(limit.value()).toBe(4);
    for (let times = 0; times < 5; times += 1) full(limit);
    expect(limit.value()).toBe(9);
  });

  it('is not changed by an error that is not a sign of overload', () => {
    const limit = openConcurrencyLimit(8, 32);
    limit.observe(sample({ delivered: false, inFlight: 8 }));
    expect(limit.value()).toBe(8);
  });
});
