import { handledInMemory } from './handled-events.ts';

describe('handledInMemory', () => {
  it('removes the oldest key when it is full', async () => {
    const handled = handledInMemory({ maxEvents: 2 });
    const ran = [];
    for (const key of ['a', 'b', 'a', 'c', 'a']) ran.push(await handled.once(key, async () => undefined));
    expect(ran).toEqual([true, true, false, true, true]);
  });

  it('does not store a key whose work throws, and makes a second call wait for the first', async () => {
    const handled = handledInMemory();
    const fail = () => handled.once('a', () => Promise.reject(new Error('database away')));
    const both = await Promise.allSettled([fail(), fail()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await handled.once('a', async () => undefined)).toBe(true);
    expect(await handled.once('a', async () => undefined)).toBe(false);
  });
});
