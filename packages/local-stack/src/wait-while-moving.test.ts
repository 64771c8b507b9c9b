import { waitWhileMoving } from './wait-while-moving.ts';

describe('waitWhileMoving', () => {
  it('goes on while something changes, for much longer than nothing may change', async () => {
    let looks = 0;
    const found = await waitWhileMoving(
      'orders',
      (say) => {
        looks += 1;
        say(`${looks} of 12 stored`);
        return looks === 12 && 'all';
      },
      { stillMs: 500 },
    );
    expect(found).toBe('all');
  });

  it('ends when nothing changes, and says how far it was, why, and what the log says', async () => {
    const waiting = waitWhileMoving(
      'the orders',
      (say) => {
        say('3 of 5 stored', 'sync');
        throw new Error('no answer');
      },
      { stillMs: 300, logOf: (process) => `The end of ${process}.log:\nlast line` },
    );
    await expect(waiting).rejects.toThrow(
      'Nothing has changed for 0 s while waiting for the orders (3 of 5 stored): no answer\nThe end of sync.log:\nlast line',
    );
  });

  it('ends at once when there is no hope, also while a look takes long', async () => {
    const waiting = waitWhileMoving('the orders', () => new Promise<undefined>(() => undefined), {
      stillMs: 60_000,
      requireHope() {
        throw new Error('sync ended');
      },
    });
    await expect(waiting).rejects.toThrow('sync ended');
  });

  it('ends when it is interrupted', async () => {
    const waiting = waitWhileMoving('the orders', () => false, {
      stillMs: 60_000,
      signal: AbortSignal.abort(),
    });
    await expect(waiting).rejects.toThrow('stopped while waiting for the orders');
  });
});
