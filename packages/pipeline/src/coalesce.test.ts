import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { coalesce, coalesceBy } from './coalesce.ts';

describe('coalesce', () => {
  it('A single call runs at once, and the calls of a burst share a batch', async () => {
    const batches: number[][] = [];
    const call = coalesce(async (items: number[]) => (batches.push(items), items.map((item) => item * 2)), {
      maxWeight: 100,
      concurrency: 1,
    });
    expect(await call(1)).toBe(2);
    expect(await Promise.all([call(2), call(3), call(4)])).toEqual([4, 6, 8]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  it('The groups of items alternate, so that an item does not wait for all items of another group', async () => {
    const batches: string[][] = [];
    const call = coalesce(async (items: string[]) => (batches.push(items), items), {
      maxWeight: 2,
      groupOf: (item) => item.charAt(0),
      concurrency: 1,
    });
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(call));
    expect(batches).toEqual([['a1', 'b1'], ['c1', 'a2'], ['b2', 'a3'], ['a4']]);
  });

  it('A batch of one group has no item of another, and the groups take turns', async () => {
    const batches: string[][] = [];
    const call = coalesce(async (items: string[]) => (batches.push(items), items), {
      maxWeight: 2,
      groupOf: (item) => item.charAt(0),
      oneGroup: true,
      concurrency: 1,
    });
    const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'];
    expect(await Promise.all(items.map(call))).toEqual(items);
    expect(batches).toEqual([['a1', 'a2'], ['b1', 'b2'], ['c1'], ['a3']]);
  });

  it('With spacing, calls wait only after a large batch, share the next one, and do not wait once it is full', async () => {
    const batches: number[][] = [];
    const call = coalesce(async (items: number[]) => (batches.push(items), items), {
      maxWeight: 4,
      concurrency: 1,
      // Long enough that a call that waits for its end fails the test.
      spacing: { afterItems: 3, ms: 3_600_000 },
    });
    await call(1);
    await Promise.all([call(2), call(3)]);
    await Promise.all([call(4), call(5), call(6)]);
    const waiting = [call(7), call(8), call(9)];
    await new Promise(setImmediate);
    expect(batches).toEqual([[1], [2, 3], [4, 5, 6]]);
    waiting.push(call(10));
    await Promise.all(waiting);
    expect(batches.at(-1)).toEqual([7, 8, 9, 10]);
  });

  it('With spacing, calls that wait are run at its end', async () => {
    const call = coalesce(async (items: number[]) => items, {
      maxWeight: 100,
      concurrency: 1,
      spacing: { afterItems: 2, ms: 20 },
    });
    await Promise.all([call(1), call(2)]);
    expect(await Promise.all([call(3), call(4)])).toEqual([3, 4]);
    expect(await call(5)).toBe(5);
  });

  it('A failing item fails no other call of its batch', async () => {
    const call = coalesce(
      async (items: number[]) => {
        if (items.includes(13)) throw new Error('unlucky');
        return items;
      },
      { maxWeight: 100, concurrency: 1 },
    );
    const outcomes = await Promise.allSettled([call(1), call(13), call(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('retries a batch one by one only after errors that an item causes', async () => {
    let runs = 0;
    const call = coalesce(
      async (items: number[]) => {
        runs += 1;
        if (items.includes(0)) throw new Error('outage');
        if (items.includes(13)) throw new Error('unlucky');
        return items;
      },
      {
        maxWeight: 100,
        concurrency: 1,
        retryIndividually: (error) => (error as Error).message === 'unlucky',
      },
    );
    const statesOf = async (...items: number[]) =>
      (await Promise.allSettled(items.map(call))).map(({ status }) => status);
    expect(await statesOf(1, 0, 2)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs).toBe(1);
    expect(await statesOf(1, 13, 2)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('gives each caller its own result, keeps the weight and never runs more batches than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (weights, concurrency) => {
          let running = 0;
          let maxRunning = 0;
          const call = coalesce(
            async (items: number[]) => {
              running += 1;
              maxRunning = Math.max(maxRunning, running);
              const weight = items.reduce((sum, item) => sum + item, 0);
              expect(items.length === 1 || weight <= 10).toBe(true);
              await new Promise(setImmediate);
              running -= 1;
              return items.map((item) => item * 10);
            },
            { maxWeight: 10, weightOf: (item) => item, concurrency },
          );
          const results = await Promise.all(weights.map((weight) => call(weight)));
          expect(results).toEqual(weights.map((weight) => weight * 10));
          expect(maxRunning).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: propertyCases(50) },
    );
  });
});

describe('coalesceBy', () => {
  it('gives batches items of one key, and the items of a key wait for no other key', async () => {
    const batches: string[][] = [];
    let endSlow = () => {};
    const slow = new Promise<void>((resolve) => (endSlow = resolve));
    const call = coalesceBy(
      (item: string) => item.slice(0, 1),
      async (items: string[]) => {
        batches.push(items);
        if (items.includes('a1')) await slow;
        return items;
      },
      { maxWeight: 100, concurrency: 1 },
    );
    const first = call('a1');
    expect(await Promise.all(['b1', 'b2'].map(call))).toEqual(['b1', 'b2']);
    const waiting = ['a2', 'a3'].map(call);
    endSlow();
    expect(await Promise.all([first, ...waiting])).toEqual(['a1', 'a2', 'a3']);
    expect(batches).toEqual([['a1'], ['b1', 'b2'], ['a2', 'a3']]);
  });
});
