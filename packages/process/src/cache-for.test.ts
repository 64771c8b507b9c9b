import { cacheFor } from './cache-for.ts';

describe('cacheFor', () => {
  it('Callers within the time share one read', async () => {
    let reads = 0;
    const read = cacheFor(60_000, async () => (reads += 1));
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(1);
  });

  it('A read after the time is a new one', async () => {
    let reads = 0;
    const read = cacheFor(0, async () => (reads += 1));
    expect([await read(), await read()]).toEqual([1, 2]);
  });

  it('A failed read is tried again by the next caller', async () => {
    let reads = 0;
    const read = cacheFor(60_000, async () => {
      reads += 1;
      if (reads === 1) throw new Error('no route');
      return reads;
    });
    await expect(read()).rejects.toThrow('no route');
    expect(await read()).toBe(2);
  });
});
