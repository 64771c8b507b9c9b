import { openBigBodies } from './big-bodies.ts';

const big = 1_000_000;

/** Resolves after this number of iterations of the event loop. */
async function iterate(iterations: number) {
  for (let iteration = 0; iteration < iterations; iteration += 1) await new Promise(setImmediate);
}

/** Runs works that end when they are told to, and records which of them have started. */
function openWorks() {
  const bodies = openBigBodies();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (merchantId: string, bytes: number, name: string) =>
    bodies.run(merchantId, bytes, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endNext = async () => {
    ends.shift()?.();
    await iterate(5);
  };
  return { bodies, run, started, endNext, ends };
}

describe('openBigBodies', () => {
  it('Big bodies are worked on one at a time, and merchants alternate', async () => {
    const { run, started, endNext } = openWorks();
    const results = [run('a', big, 'a1'), run('a', big, 'a2'), run('a', big, 'a3'), run('b', big, 'b1')];
    expect(started).toEqual(['a1']);
    for (let ended = 0; ended < 4; ended += 1) await endNext();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('Between two big bodies the event loop does other work, such as accepting connections, for four iterations', async () => {
    const { run, started, endNext, ends } = openWorks();
    const results = [run('a', big, 'first'), run('a', big, 'second')];
    ends.shift()?.();
    await iterate(3);
    expect(started).toEqual(['first']);
    await iterate(2);
    expect(started).toEqual(['first', 'second']);
    await endNext();
    await Promise.all(results);
  });

  it('A small body does not wait for a big one', async () => {
    const { run, started, endNext } = openWorks();
    const results = [run('a', big, 'big'), run('a', 1_000, 'small')];
    expect(started).toEqual(['big', 'small']);
    await endNext();
    await endNext();
    await Promise.all(results);
  });

  it('After work that failed, the next body is worked on', async () => {
    const { bodies } = openWorks();
    const failing = bodies.run('a', big, () => Promise.reject(new Error('invalid')));
    const next = bodies.run('a', big, async () => 'next');
    await expect(failing).rejects.toThrow('invalid');
    expect(await next).toBe('next');
  });
});
