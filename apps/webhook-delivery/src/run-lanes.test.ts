import fc from 'fast-check';
import { runLanes } from './run-lanes.ts';
import type { LanesOptions } from './run-lanes.ts';

const soon = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A source of numbers, and lanes that note what happens to them. */
function scene(count: number, over: Partial<LanesOptions<number>> = {}) {
  const source = Array.from({ length: count }, (_, index) => index);
  const seen = { sent: [] as number[], back: [] as number[], atOnce: 0, most: 0 };
  const options: LanesOptions<number> = {
    limit: () => 4,
    open: () => true,
    take: async (asked) => source.splice(0, asked),
    stale: () => false,
    giveBack: async (left) => void seen.back.push(...left),
    async send(one) {
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      await soon();
      seen.atOnce -= 1;
      seen.sent.push(one);
    },
    ...over,
  };
  return { source, seen, run: () => runLanes(options) };
}

describe('lanes', () => {
  it('send everything once, in the order in which it was taken, and never more at a time than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.integer({ min: 1, max: 40 }), async (count, limit) => {
        const { run, seen } = scene(count, { limit: () => limit });
        expect(await run()).toBe(count);
        expect(seen.sent.toSorted((one, other) => one - other)).toEqual([...Array(count).keys()]);
        expect(seen.most).toBeLessThanOrEqual(limit);
        expect(seen.back).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('go on past one that hangs, with what comes up meanwhile too', async () => {
    let release = () => undefined as void;
    const hanging = new Promise<void>((resolve) => (release = resolve));
    const more = [0];
    const sent: number[] = [];
    const done = runLanes<number>({
      limit: () => 2,
      open: () => true,
      take: async (asked) => more.splice(0, asked),
      stale: () => false,
      giveBack: async () => undefined,
      async send(one) {
        if (one === 0) {
          // While this one hangs, others fall due.
          setTimeout(() => more.push(1, 2), 50);
          await hanging;
        }
        sent.push(one);
        if (sent.length === 2) release();
      },
    });
    expect(await done).toBe(3);
    expect(sent).toEqual([1, 2, 0]);
  });

  it('give back what was taken and not sent once they are closed', async () => {
    let sendings = 0;
    const { run, seen, source } = scene(100, {
      open: () => sendings < 5,
      async send(one) {
        sendings += 1;
        await soon();
        seen.sent.push(one);
      },
    });
    await run();
    expect([...seen.sent, ...seen.back, ...source].toSorted((one, other) => one - other)).toEqual([
      ...Array(100).keys(),
    ]);
    expect(seen.back.length).toBeGreaterThan(0);
  });

  it('give back what has become too old to be started', async () => {
    const { run, seen } = scene(10, { stale: (one) => one >= 5 });
    expect(await run()).toBe(5);
    expect(seen.back).toEqual([5, 6, 7, 8, 9]);
  });

  it('end with the error of taking or sending, after what is under way', async () => {
    await expect(scene(3, { take: () => Promise.reject(new Error('no database')) }).run()).rejects.toThrow(
      'no database',
    );
    const { run, seen } = scene(40, {
      async send(one) {
        await soon();
        if (one === 2) throw new Error('not stored');
        seen.sent.push(one);
      },
    });
    await expect(run()).rejects.toThrow('not stored');
    expect(seen.sent.length).toBeLessThan(39);
    expect(seen.back.length).toBeGreaterThan(0);
  });
});
