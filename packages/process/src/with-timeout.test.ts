import { TimeoutError, withTimeout } from './with-timeout.ts';

const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('Work that finishes in time gives its result', async () => {
    expect(await withTimeout(Promise.resolve(7), 1_000, 'no answer')).toBe(7);
  });

  it('Work that fails in time gives its own error', async () => {
    const error = new Error('connection refused');
    await expect(withTimeout(Promise.reject(error), 1_000, 'no answer')).rejects.toBe(error);
  });

  it('Work that takes longer than the deadline ends with a TimeoutError that names the problem', async () => {
    const waiting = withTimeout(never, 20, 'the database did not answer');
    await expect(waiting).rejects.toThrow(TimeoutError);
    await expect(waiting).rejects.toThrow('the database did not answer within 20 ms');
  });
});
