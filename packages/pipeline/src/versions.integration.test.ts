import { testLog } from './fixtures/test-log.ts';
import { connectProducer, disconnect } from './redis.ts';
import { openVersions } from './versions.ts';

const prefix = `{versions-${process.pid}}`;
const [lastKey, serverKey] = [`${prefix}:order-version`, `${prefix}:order-version-server`] as const;
const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog);

beforeAll(() => new Promise<void>((resolve) => void redis.once('ready', resolve)));
beforeEach(() => redis.del(lastKey, serverKey));
afterAll(() => disconnect(redis));

const now = () => Date.now() * 1_000;
const anHour = 3_600_000_000;

/** A source of versions, with the free version that PostgreSQL returns; undefined when PostgreSQL is unavailable. */
function open(free: () => number | undefined = () => 0) {
  const asked: unknown[] = [];
  const unconfirmed: unknown[] = [];
  const versions = openVersions(redis, {
    prefix,
    async findFreeVersion() {
      const version = free();
      asked.push(version);
      if (version === undefined) throw new Error('PostgreSQL is unavailable');
      return version;
    },
    onUnconfirmed: (error) => void unconfirmed.push(error),
  });
  return { next: () => versions.next(), asked, unconfirmed };
}

describe('versions', () => {
  it('Versions increase strictly across simultaneous requests and several API processes', async () => {
    const instances = [open(), open()];
    const given: number[] = [];
    await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        given.push(await (instances[index % 2] as (typeof instances)[0]).next());
      }),
    );
    expect(new Set(given).size).toBe(500);
    expect(given).toEqual([...given].sort((a, b) => a - b));
  });

  it('Versions are microseconds of the clock, and do not decrease when the clock is set back', async () => {
    const { next, asked } = open();
    expect(Math.abs((await next()) - now())).toBeLessThan(60_000_000);
    const ahead = now() + anHour;
    await redis.set(lastKey, String(ahead));
    expect(await next()).toBe(ahead + 1);
    expect(await next()).toBe(ahead + 2);
    expect(asked).toEqual([0]);
  });

  it('Versions continue above the stored ones when Redis was emptied after its clock was ahead', async () => {
    const stored = now() + anHour;
    const { next, asked } = open(() => stored);
    const before = await next();
    expect(before).toBe(stored);
    expect(await next()).toBe(stored + 1);
    await redis.del(lastKey, serverKey);
    expect(await next()).toBe(stored);
    expect(asked).toHaveLength(2);
  });

  it('Versions continue above the stored ones in another Redis process that has an older last version', async () => {
    let stored = 0;
    const { next, asked } = open(() => stored);
    await next();
    stored = now() + anHour;
    await redis.set(serverKey, 'the run_id before the restart');
    expect(await next()).toBe(stored);
    expect(await open().next()).toBe(stored + 1);
    expect(asked).toEqual([0, stored]);
  });

  it('Without PostgreSQL, a restarted Redis continues from its last version until PostgreSQL answers', async () => {
    let stored: number | undefined;
    const last = now() + anHour;
    await redis.mset(lastKey, last, serverKey, 'the run_id before the restart');
    const { next, asked, unconfirmed } = open(() => stored);
    expect([await next(), await next()]).toEqual([last + 1, last + 2]);
    expect([asked, unconfirmed]).toEqual([[undefined], [new Error('PostgreSQL is unavailable')]]);
    stored = last + 10;
    expect(await open(() => stored).next()).toBe(stored);
    expect(await next()).toBe(stored + 1);
  });

  it('Without PostgreSQL, a Redis without a last version assigns none', async () => {
    const { next } = open(() => undefined);
    await expect(next()).rejects.toThrow('Redis has lost the last version');
    await expect(next()).rejects.toThrow('Redis has lost the last version');
    expect(await redis.exists(lastKey, serverKey)).toBe(0);
  });
});
