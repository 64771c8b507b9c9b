import { cacheResolved } from './cache-resolved.ts';

function counting(): { asked: string[]; resolve: (name: string) => Promise<string[]> } {
  const asked: string[] = [];
  const resolve = async (name: string): Promise<string[]> => {
    asked.push(name);
    if (name.startsWith('bad')) throw new Error(`cannot resolve ${name}`);
    return [`8.8.8.${asked.length}`];
  };
  return { asked, resolve };
}

describe('cacheResolved', () => {
  it('asks once for names that are known or being asked for', async () => {
    const { asked, resolve } = counting();
    const cached = cacheResolved(resolve);
    expect(await Promise.all([cached('a'), cached('a'), cached('b')])).toEqual([
      ['8.8.8.1'],
      ['8.8.8.1'],
      ['8.8.8.2'],
    ]);
    expect(await cached('a')).toEqual(['8.8.8.1']);
    expect(asked).toEqual(['a', 'b']);
  });

  it('asks again when an answer is too old', async () => {
    const { resolve } = counting();
    const cached = cacheResolved(resolve, { maxAgeMs: 0 });
    expect([await cached('a'), await cached('a')]).toEqual([['8.8.8.1'], ['8.8.8.2']]);
  });

  it('remembers no failure', async () => {
    const { asked, resolve } = counting();
    const cached = cacheResolved(resolve);
    await expect(cached('bad')).rejects.toThrow('cannot resolve bad');
    await expect(cached('bad')).rejects.toThrow('cannot resolve bad');
    expect(asked).toEqual(['bad', 'bad']);
  });

  it('forgets the oldest name when it is full', async () => {
    const { asked, resolve } = counting();
    const cached = cacheResolved(resolve, { maxNames: 2 });
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await cached(name);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
});
