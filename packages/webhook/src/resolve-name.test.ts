import { scaled, waitFor } from '@rewardhook/testing';
import { nameServer, type Answer, type NameServer } from './fixtures/name-server.ts';
import { cacheNames, nameResolver } from './resolve-name.ts';

const names: Record<string, { A: Answer; AAAA: Answer }> = {
  'both.example.com': { A: ['93.184.215.14', '93.184.215.15'], AAAA: ['2606:2800:220:1:248:1893:25c8:1946'] },
  'old.example.com': { A: ['93.184.215.14'], AAAA: [] },
  'half.example.com': { A: ['93.184.215.14'], AAAA: 'none' },
  'new.example.com': { A: [], AAAA: ['2606:2800:220:1:248:1893:25c8:1946'] },
};

describe('nameResolver', () => {
  let server: NameServer;
  beforeAll(async () => {
    server = await nameServer((name, kind) => names[name]?.[kind] ?? 'unknown');
  });
  afterAll(() => server.close());

  it.each([
    ['both.example.com', ['93.184.215.14', '93.184.215.15', '2606:2800:220:1:248:1893:25c8:1946']],
    ['old.example.com', ['93.184.215.14']],
    ['half.example.com', ['93.184.215.14']],
    ['new.example.com', ['2606:2800:220:1:248:1893:25c8:1946']],
  ])('resolves %s', async (name, addresses) => {
    const started = performance.now();
    const found = await nameResolver([server.address])(name);
    expect(found.toSorted()).toEqual(addresses.toSorted());
    expect(performance.now() - started).toBeLessThan(scaled(1000));
  });

  it('rejects a name that does not exist', async () => {
    await expect(nameResolver([server.address])('gone.example.com')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  it('uses the resolver of the system where no name server listens', async () => {
    const unanswering = await nameServer(() => 'none');
    await unanswering.close();
    expect(await nameResolver([unanswering.address])('localhost')).toContain('127.0.0.1');
  });
});

/** A resolver that counts its queries. Names that begin with "bad" do not resolve. */
function countingResolver(): { queries: string[]; resolve: (name: string) => Promise<string[]> } {
  const queries: string[] = [];
  const resolve = async (name: string): Promise<string[]> => {
    queries.push(name);
    if (name.startsWith('bad')) throw new Error(`cannot resolve ${name}`);
    return [`8.8.8.${queries.length}`];
  };
  return { queries, resolve };
}

describe('The name cache', () => {
  it('queries once for a name that is cached or being looked up', async () => {
    const { queries, resolve } = countingResolver();
    const cached = cacheNames(resolve);
    expect(await Promise.all([cached('a'), cached('a'), cached('b')])).toEqual([
      ['8.8.8.1'],
      ['8.8.8.1'],
      ['8.8.8.2'],
    ]);
    expect(await cached('a')).toEqual(['8.8.8.1']);
    expect(queries).toEqual(['a', 'b']);
  });

  it('queries again when an answer has expired', async () => {
    const { resolve } = countingResolver();
    const cached = cacheNames(resolve, { maxAgeMs: 5 });
    expect(await cached('a')).toEqual(['8.8.8.1']);
    await waitFor(async () => (await cached('a'))[0] === '8.8.8.2', { everyMs: 2 });
  });

  it('does not cache failures', async () => {
    const { queries, resolve } = countingResolver();
    const cached = cacheNames(resolve);
    await expect(cached('bad')).rejects.toThrow('cannot resolve bad');
    await expect(cached('bad')).rejects.toThrow('cannot resolve bad');
    expect(queries).toEqual(['bad', 'bad']);
  });

  it('evicts the least recently used name when it is full', async () => {
    const { queries, resolve } = countingResolver();
    const cached = cacheNames(resolve, { maxNames: 2 });
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await cached(name);
    expect(queries).toEqual(['a', 'b', 'c', 'a']);
  });

  it('answers lookups that are evicted while they run', async () => {
    const { resolve } = countingResolver();
    const cached = cacheNames(resolve, { maxNames: 2 });
    const found = await Promise.all(['a', 'b', 'c', 'd', 'bad'].map((name) => cached(name).catch(() => [])));
    expect(found).toEqual([['8.8.8.1'], ['8.8.8.2'], ['8.8.8.3'], ['8.8.8.4'], []]);
  });
});
