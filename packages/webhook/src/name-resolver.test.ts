import { nameServer, type Answer, type NameServer } from './fixtures/name-server.ts';
import { nameResolver } from './name-resolver.ts';

const names: Record<string, { A: Answer; AAAA: Answer }> = {
  'both.example.com': { A: ['93.184.215.14', '93.184.215.15'], AAAA: ['2606:2800:220:1:248:1893:25c8:1946'] },
  'old.example.com': { A: ['93.184.215.14'], AAAA: [] },
  'half.example.com': { A: ['93.184.215.14'], AAAA: 'silence' },
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
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('rejects for a name that does not exist', async () => {
    await expect(nameResolver([server.address])('gone.example.com')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  it('falls back to the system where no name server listens', async () => {
    const silent = await nameServer(() => 'silence');
    await silent.close();
    expect(await nameResolver([silent.address])('localhost')).toContain('127.0.0.1');
  });
});
