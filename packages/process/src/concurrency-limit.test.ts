import { openConcurrencyLimit, ConcurrencyLimitReached } from './concurrency-limit.ts';

/** A call that runs until it is ended. */
function openCall() {
  let end: (error?: Error) => void = () => undefined;
  const call = {
    started: false,
    end: (error?: Error) => end(error),
    run: () => {
      call.started = true;
      return new Promise<string>((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve('done'));
      });
    },
  };
  return call;
}

describe('A concurrency limit', () => {
  it('runs as many calls of a group as it permits, and the next one when one of them ends', async () => {
    const limit = openConcurrencyLimit({ permits: 2, maxWaiting: 2 });
    const calls = [openCall(), openCall(), openCall(), openCall()];
    const results = calls.map((call) => limit.run('one', call.run));
    const started = () => calls.map((call) => call.started);
    expect(started()).toEqual([true, true, false, false]);
    calls[1]?.end();
    await expect(results[1]).resolves.toBe('done');
    expect(started()).toEqual([true, true, true, false]);
    for (const index of [0, 2]) calls[index]?.end();
    await Promise.all([results[0], results[2]]);
    calls[3]?.end();
    await expect(results[3]).resolves.toBe('done');
  });

  it('gives the permit of a call that fails to the next one', async () => {
    const limit = openConcurrencyLimit({ permits: 1, maxWaiting: 1 });
    const [failing, next] = [openCall(), openCall()];
    const [failed, done] = [limit.run('one', failing.run), limit.run('one', next.run)];
    failing.end(new Error('no answer'));
    await expect(failed).rejects.toThrow('no answer');
    expect(next.started).toBe(true);
    next.end();
    await expect(done).resolves.toBe('done');
  });

  it('refuses a call of a group when as many wait as may wait, and runs those of other groups', async () => {
    const limit = openConcurrencyLimit({ permits: 1, maxWaiting: 1 });
    const [running, waiting, other] = [openCall(), openCall(), openCall()];
    const results = [limit.run('one', running.run), limit.run('one', waiting.run)];
    await expect(limit.run('one', () => Promise.resolve('too many'))).rejects.toThrow(
      ConcurrencyLimitReached,
    );
    results.push(limit.run('other', other.run));
    expect([waiting.started, other.started]).toEqual([false, true]);
    running.end();
    await results[0];
    for (const call of [waiting, other]) call.end();
    await Promise.all(results);
    await expect(limit.run('one', () => Promise.resolve('again'))).resolves.toBe('again');
  });
});
