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

describe('The budget of bodies', () => {
  const open = () => openBodyBudget({ process: 100 * large, key: 50 * large });

  it('lets three large bodies be read and handled at a time, and the next one when a request has ended', async () => {
    const budget = open();
    const bodies = Array.from({ length: 5 }, () => beginLargeBody(budget, 'a'));
    const waiting = bodies.map(({ mayBeRead }) => mayBeRead);
    expect(await fulfilledOf(waiting)).toEqual([0, 1, 2]);
    bodies[0]?.complete();
    expect(await fulfilledOf(waiting)).toEqual([0, 1, 2]);
    bodies[0]?.release();
    expect(await fulfilledOf(waiting)).toEqual([0, 1, 2, 3]);
    for (const body of bodies) body.release();
    await Promise.all(waiting);
  });

  it('alternates between merchants with large bodies', async () => {
    const budget = open();
    const bodies = ['a', 'a', 'a', 'a', 'a', 'b'].map((merchantId) => beginLargeBody(budget, merchantId));
    const waiting = bodies.map(({ mayBeRead }) => mayBeRead);
    bodies[0]?.release();
    bodies[1]?.release();
    expect(await fulfilledOf(waiting)).toEqual([0, 1, 2, 3, 5]);
    for (const body of bodies) body.release();
    await Promise.all(waiting);
  });

  it('lets the next large body be read when the client of one sends slowly', async () => {
    const budget = open();
    const bodies = Array.from({ length: 4 }, () => beginLargeBody(budget, 'a'));
    bodies[0]?.complete();
    bodies[1]?.complete();
    await bodies[3]?.mayBeRead;
    for (const body of bodies) body.release();
    expect(budget.used()).toBe(0);
  });

  it('gives a body that was refused while it waited no place', async () => {
    const budget = open();
    const bodies = Array.from({ length: 5 }, () => beginLargeBody(budget, 'a'));
    bodies[3]?.release();
    bodies[0]?.release();
    await bodies[4]?.mayBeRead;
    for (const body of bodies) body.release();
  });

  it('lets the rest of a small body be read at once', () => {
    const reservation = open().reserve({ merchantId: 'a', kind: 'secret' }, () => {});
    expect(reservation.grow(60_000)).toBeUndefined();
    expect(reservation.grow(6_000)).toBeInstanceOf(Promise);
    expect(reservation.grow(6_000)).toBeUndefined();
    reservation.release();
  });
});
