import { openBodyBudget } from './body-budget.ts';
import type { BodyBudget } from './body-budget.ts';

const large = 100_000;

/** Begins to read a large body. `mayBeRead` is fulfilled when the rest of it may be read. */
function beginLargeBody(budget: BodyBudget, merchantId: string) {
  const reservation = budget.reserve({ merchantId, kind: 'secret' }, () => {});
  const mayBeRead = reservation.grow(large) ?? Promise.reject(new Error('the body is not large'));
  return { ...reservation, mayBeRead };
}

/** The indices of the promises that are fulfilled by now. */
async function fulfilledOf(promises: Promise<void>[]): Promise<number[]> {
  const fulfilled: number[] = [];
  promises.forEach((promise, index) => void promise.then(() => fulfilled.push(index)));
  await new Promise(setImmediate);
  return fulfilled.toSorted((one, other) => one - other);
}

describe('The body budget', () => {
  // Only the timers of the budget stand still, so that a pause of the machine changes nothing.
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const open = () => openBodyBudget({ process: 100 * large, key: 50 * large });

  /** Begins to read large bodies of these merchants. */
  function beginAll(budget: BodyBudget, merchants: string) {
    const bodies = Array.from(merchants, (merchantId) => beginLargeBody(budget, merchantId));
    return { bodies, mayBeRead: bodies.map(({ mayBeRead }) => mayBeRead) };
  }

  it('gives three large bodies a permit, and the next one when a request has ended', async () => {
    const { bodies, mayBeRead } = beginAll(open(), 'aaaaa');
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2]);
    bodies[0]?.complete();
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2]);
    bodies[0]?.release();
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2, 3]);
  });

  it('alternates between merchants with large bodies', async () => {
    const { bodies, mayBeRead } = beginAll(open(), 'aaaaab');
    bodies[0]?.release();
    bodies[1]?.release();
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2, 3, 5]);
  });

  it('gives the permit of a body that arrives slowly to the next one, but not that of a complete body', async () => {
    const { bodies, mayBeRead } = beginAll(open(), 'aaaaaa');
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2]);
    bodies[0]?.complete();
    bodies[1]?.complete();
    jest.advanceTimersByTime(1_000);
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2, 3]);
    for (const body of bodies) body.release();
  });

  it('gives no permit to a body that was refused while it waited', async () => {
    const { bodies, mayBeRead } = beginAll(open(), 'aaaaaa');
    await fulfilledOf(mayBeRead);
    bodies[3]?.release();
    bodies[0]?.release();
    // The permit of the first body goes through the fourth to the fifth.
    expect(await fulfilledOf(mayBeRead)).toEqual([0, 1, 2, 3, 4]);
  });

  it('evicts a body that waits for ten seconds', async () => {
    const budget = open();
    const { bodies } = beginAll(budget, 'aaa');
    await new Promise(setImmediate);
    for (const body of bodies) body.complete();
    const reasons: unknown[] = [];
    const late = budget.reserve({ merchantId: 'b', kind: 'secret' }, (reason) => reasons.push(reason));
    void late.grow(large);
    jest.advanceTimersByTime(9_999);
    expect(reasons).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(reasons).toMatchObject([{ code: 'service_unavailable' }]);
    expect(budget.used()).toBe(3 * large);
  });

  it('refuses the large bodies of a merchant of which sixteen wait, and takes those of others', async () => {
    const budget = open();
    beginAll(budget, 'a'.repeat(3));
    await new Promise(setImmediate);
    beginAll(budget, 'a'.repeat(16));
    expect(() => beginLargeBody(budget, 'a')).toThrow(/^At most 16 requests/);
    expect(() => beginLargeBody(budget, 'b')).not.toThrow();
  });

  it('lets a small body be read without a permit', () => {
    const reservation = open().reserve({ merchantId: 'a', kind: 'secret' }, () => {});
    expect(reservation.grow(60_000)).toBeUndefined();
    expect(reservation.grow(6_000)).toBeInstanceOf(Promise);
    expect(reservation.grow(6_000)).toBeUndefined();
    reservation.release();
  });
});
