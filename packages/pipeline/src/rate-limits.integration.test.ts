import { randomBytes } from 'node:crypto';
import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { openRateLimits } from './rate-limits.ts';
import type { RateLimit } from './rate-limits.ts';
import { connectProducer, disconnect } from './redis.ts';
import { openVersions } from './versions.ts';

describe('a rate limit', () => {
  const prefix = `{rate-limits-${process.pid}}`;
  // A count that has timed out is made by its process for itself: no command of these tests times out on a busy machine.
  const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog, 60_000);
  const anyClient = () => randomBytes(8).toString('hex');
  const keysOf = (client: string) => redis.keys(`*:limit:*${client}`);
  /** A limit of three in an hour, as each process opens its own. */
  const openLimit = (options: { check?: () => void; shards?: number } = {}, points = 3, name = 'tried') =>
    openRateLimits(redis, { prefix, ...options })({ name, points, seconds: 3_600 });
  const allowedOf = async (limit: RateLimit, client: string, costs: number[]) => {
    const allowed: boolean[] = [];
    for (const cost of costs) allowed.push((await limit.count(client, cost)).allowed);
    return allowed;
  };

  beforeAll(() => waitFor(() => redis.status === 'ready', { everyMs: 5 }));
  afterAll(async () => {
    const left = await redis.keys(`{rate-limits-${process.pid}*`);
    if (left.length > 0) await redis.del(...left);
    await disconnect(redis);
  });

  it('All processes together let pass what the limit allows, also at once', async () => {
    const processes = [1, 2, 3].map(() => openLimit({ shards: 3 }, 50));
    const client = anyClient();
    const states = await Promise.all(
      Array.from({ length: 300 }, (_, index) => processes[index % 3]?.count(client)),
    );
    expect(states.filter((state) => state?.allowed)).toHaveLength(50);
  });

  it('Each client and each limit is counted for itself', async () => {
    const client = anyClient();
    expect(await allowedOf(openLimit(), client, [1, 2, 1])).toEqual([true, true, false]);
    expect(await allowedOf(openLimit(), anyClient(), [3])).toEqual([true]);
    expect(await allowedOf(openLimit({}, 3, 'other'), client, [3])).toEqual([true]);
    expect(await allowedOf(openLimit({}, 0, 'none'), client, [1])).toEqual([false]);
  });

  it('The state has what remains and the time until the window ends, which later counts do not extend', async () => {
    const client = anyClient();
    const limit = openLimit();
    expect(await limit.read(client)).toEqual({ allowed: true, remaining: 3, resetMs: 0 });
    const first = await limit.count(client);
    expect(first).toMatchObject({ allowed: true, remaining: 2 });
    expect(first.resetMs).toBeGreaterThan(3_500_000);
    await redis.pexpire((await keysOf(client)).join(), 1_000_000);
    expect(await limit.count(client, 2)).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await limit.count(client);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetMs).toBeLessThanOrEqual(1_000_000);
    expect(await limit.read(client)).toMatchObject({ allowed: false, remaining: 0 });
    await redis.pexpire((await keysOf(client)).join(), 0);
    expect(await allowedOf(openLimit(), client, [3])).toEqual([true]);
  });

  it('A cost above the limit passes when nothing else was counted, and delays what follows', async () => {
    const client = anyClient();
    const [one, other] = [openLimit(), openLimit()];
    const passed = await one.count(client, 30);
    expect(passed).toMatchObject({ allowed: true, remaining: 0 });
    // Ten times the limit takes ten windows.
    expect(passed.resetMs).toBeGreaterThan(35_000_000);
    const refused = await other.count(client);
    expect(refused.allowed).toBe(false);
    expect(refused.resetMs).toBeGreaterThan(35_000_000);
    expect(await allowedOf(openLimit(), anyClient(), [1, 30])).toEqual([true, false]);
  });

  it('A refusal is known to the process without a call', async () => {
    const client = anyClient();
    const limit = openLimit();
    expect(await allowedOf(limit, client, [3, 1])).toEqual([true, false]);
    await redis.del(...(await keysOf(client)));
    expect(await allowedOf(limit, client, [1])).toEqual([false]);
    expect(await keysOf(client)).toEqual([]);
  });

  it('While Redis is said to be unavailable, each process counts for itself and sends nothing', async () => {
    let unavailable = true;
    const check = () => {
      if (unavailable) throw new Error('unavailable');
    };
    const [one, other] = [openLimit({ check }), openLimit({ check })];
    const client = anyClient();
    expect(await allowedOf(one, client, [1, 2, 1])).toEqual([true, true, false]);
    expect(await one.read(client)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await allowedOf(other, client, [30, 1])).toEqual([true, false]);
    expect(await keysOf(client)).toEqual([]);
    unavailable = false;
    expect(await allowedOf(one, client, [3])).toEqual([true]);
  });

  it('A process that cannot reach Redis counts for itself', async () => {
    const unreachable = connectProducer('redis://127.0.0.1:1', testLog);
    try {
      const limit = openRateLimits(unreachable, { prefix })({ name: 'tried', points: 3, seconds: 3_600 });
      const client = anyClient();
      expect(await allowedOf(limit, client, [3, 1])).toEqual([true, false]);
      expect((await limit.read(client)).allowed).toBe(false);
    } finally {
      await disconnect(unreachable);
    }
  });
});

describe('versions', () => {
  const prefix = `{versions-${process.pid}}`;
  const [lastKey, serverKey] = [`${prefix}:order-version`, `${prefix}:order-version-server`] as const;
  const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog);

  beforeAll(() => waitFor(() => redis.status === 'ready', { everyMs: 5 }));
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
