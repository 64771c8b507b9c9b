import { openFairQueue } from './fair-queue.ts';

/** Resolves after this number of iterations of the event loop. */
async function iterate(iterations: number) {
  for (let iteration = 0; iteration < iterations; iteration += 1) await new Promise(setImmediate);
}

/** Runs tasks that end when they are told to, and records which of them have started. */
function openTasks() {
  const queue = openFairQueue(4);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (merchantId: string, name: string) =>
    queue.run(merchantId, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endNext = async () => {
    ends.shift()?.();
    await iterate(5);
  };
  return { queue, run, started, endNext, ends };
}

describe('openFairQueue', () => {
  it('Tasks run one at a time, and merchants alternate', async () => {
    const { run, started, endNext } = openTasks();
    const results = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
    await iterate(1);
    expect(started).toEqual(['a1']);
    for (let ended = 0; ended < 4; ended += 1) await endNext();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('Between two tasks the event loop does other work, such as accepting connections, for four iterations', async () => {
    const { run, started, endNext, ends } = openTasks();
    const results = [run('a', 'first'), run('a', 'second')];
    await iterate(1);
    ends.shift()?.();
    await iterate(3);
    expect(started).toEqual(['first']);
    await iterate(2);
    expect(started).toEqual(['first', 'second']);
    await endNext();
    await Promise.all(results);
  });

  it('After a task that failed, the next one runs', async () => {
    const { queue } = openTasks();
    const failing = queue.run('a', () => Promise.reject(new Error('invalid')));
    const next = queue.run('a', () => 'next');
    await expect(failing).rejects.toThrow('invalid');
    expect(await next).toBe('next');
  });
});
