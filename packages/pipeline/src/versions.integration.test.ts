import { testLog } from './fixtures/test-log.ts';
import { connectProducer, disconnect } from './redis.ts';
import { openVersions } from './versions.ts';

const prefix = `{versions-${process.pid}}`;
const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog);

beforeAll(() => new Promise<void>((resolve) => void redis.once('ready', resolve)));
beforeEach(() => redis.del(`${prefix}:order-version`));
afterAll(() => disconnect(redis));

describe('versions', () => {
  it('Versions increase strictly across simultaneous requests and several API processes', async () => {
    const instances = [openVersions(redis, prefix), openVersions(redis, prefix)];
    const given: number[] = [];
    await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        given.push(await (instances[index % 2] as (typeof instances)[0]).next());
      }),
    );
    expect(new Set(given).size).toBe(500);
    expect(given).toEqual([...given].sort((a, b) => a - b));
  });

  it('Versions are microseconds of the clock, so an emptied Redis continues the sequence', async () => {
    const versions = openVersions(redis, prefix);
    const before = await versions.next();
    await redis.del(`${prefix}:order-version`);
    const after = await versions.next();
    expect(after).toBeGreaterThan(before);
    expect(Math.abs(after / 1_000 - Date.now())).toBeLessThan(60_000);
  });

  it('Versions do not decrease when the clock is set back', async () => {
    const versions = openVersions(redis, prefix);
    const ahead = (Date.now() + 3_600_000) * 1_000;
    await redis.set(`${prefix}:order-version`, String(ahead));
    expect(await versions.next()).toBe(ahead + 1);
    expect(await versions.next()).toBe(ahead + 2);
  });
});
