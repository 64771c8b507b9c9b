import { openSemaphore } from './semaphore.ts';

/** Counts the calls that have acquired a permit by now. */
async function countAcquired(acquiring: Promise<unknown>[]): Promise<number> {
  let acquired = 0;
  for (const one of acquiring) void one.then(() => (acquired += 1));
  await new Promise((resolve) => void setImmediate(resolve));
  return acquired;
}

describe('The semaphore', () => {
  it('issues as many permits as it has, and the next ones in order as permits are released', async () => {
    const semaphore = openSemaphore({ permits: () => 2, maxHoldMs: 60_000 });
    const order: number[] = [];
    const acquiring = [0, 1, 2, 3].map(async (one) => {
      const release = await semaphore.acquire();
      order.push(one);
      return release;
    });
    expect(await countAcquired(acquiring)).toBe(2);
    (await acquiring[0])?.();
    (await acquiring[0])?.();
    expect(await countAcquired(acquiring)).toBe(3);
    (await acquiring[1])?.();
    (await acquiring[2])?.();
    expect(await countAcquired(acquiring)).toBe(4);
    (await acquiring[3])?.();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('alternates between groups, whichever asked for more permits', async () => {
    const semaphore = openSemaphore({ permits: () => 1 });
    const order: string[] = [];
    const hold = async (group: string) => {
      const release = await semaphore.acquire(group);
      order.push(group);
      release();
    };
    const release = await semaphore.acquire('a');
    const holding = ['a', 'a', 'a', 'b', 'b', 'c'].map(hold);
    release();
    await Promise.all(holding);
    expect(order.join('')).toBe('abcaba');
  });

  it('issues fewer permits when their number falls, and more when it rises', async () => {
    let permits = 1;
    const semaphore = openSemaphore({ permits: () => permits });
    const acquiring = [0, 1, 2, 3, 4].map(() => semaphore.acquire());
    permits = 3;
    (await acquiring[0])?.();
    expect(await countAcquired(acquiring)).toBe(4);
    permits = 1;
    (await acquiring[1])?.();
    (await acquiring[2])?.();
    expect(await countAcquired(acquiring)).toBe(4);
    (await acquiring[3])?.();
    expect(await countAcquired(acquiring)).toBe(5);
  });

  it('releases a permit that is held for too long', async () => {
    const semaphore = openSemaphore({ permits: () => 1, maxHoldMs: 200 });
    const releaseLate = await semaphore.acquire();
    const release = await semaphore.acquire();
    releaseLate();
    const waiting = semaphore.acquire();
    expect(await countAcquired([waiting])).toBe(0);
    release();
    (await waiting)();
  });
});
