import { watchMerchants } from './watch-merchants.ts';

describe('watchMerchants', () => {
  /** Records jobs, a millisecond after each other, and returns whether the worker is shared after each of them. */
  function record(merchants: string): boolean[] {
    let now = 5_000;
    const watch = watchMerchants(() => now);
    return Array.from(merchants, (merchantId) => {
      now += 1;
      if (merchantId !== ' ') watch.record(merchantId);
      else now += 1_000;
      return watch.isShared();
    });
  }

  it('The jobs of one merchant share the worker with nobody', () => {
    expect(record('aaa')).toEqual([false, false, false]);
  });

  it('Jobs of two merchants within a second share it, until one of them sends none for a second', () => {
    expect(record('aaba')).toEqual([false, false, true, true]);
    expect(record('aba a')).toEqual([false, true, true, false, false]);
  });
});
