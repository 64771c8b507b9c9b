import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { waitFor } from '@rewardhook/testing';
import { testLog } from '../fixtures/test-log.ts';
import { connectProducer, disconnect } from '../redis.ts';
import type { Redis } from '../redis.ts';
import { openRateLimits } from './rate-limits.ts';
import type { RateLimits } from './rate-limits.ts';

const prefix = `{limits-${process.pid}}`;
const connect = async (url = process.env['TEST_REDIS_URL'] as string) => {
  const redis = connectProducer(url, testLog);
  await new Promise<void>((resolve) => void redis.once('ready', resolve));
  return redis;
};
const anyClient = () => randomBytes(8).toString('hex');
const slow = { name: 'slow', perSecond: 0.01, burst: 3 };

describe('rate limits', () => {
  let redis: Redis;
  let processes: { redis: Redis; limits: RateLimits }[];
  let limits: RateLimits;
  beforeAll(async () => {
    redis = await connect();
    limits = openRateLimits(redis, { prefix });
    processes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const own = await connect();
        return { redis: own, limits: openRateLimits(own, { prefix, shards: 3 }) };
      }),
    );
  });
  afterAll(async () => {
    const left = await redis.keys(`{limits-${process.pid}*`);
    if (left.length > 0) await redis.del(...left);
    await Promise.all([redis, ...processes.map((one) => one.redis)].map(disconnect));
  });
  const allowedOf = async (tried: RateLimits, of: string, costs: number[], limit = slow) => {
    const states = await Promise.all(costs.map((cost) => tried.charge(limit, of, cost)));
    return states.map(({ allowed }) => allowed);
  };

  it('A client gets its burst, is refused until the next unit is due, and others are not affected', async () => {
    const client = anyClient();
    expect(await allowedOf(limits, client, [1, 1, 1, 1])).toEqual([true, true, true, false]);
    const refused = await limits.charge(slow, client);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.retryAfterMs).toBeGreaterThan(90_000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(100_000);
    expect(refused.fullInMs).toBeGreaterThan(290_000);
    expect(await allowedOf(limits, anyClient(), [1])).toEqual([true]);
    expect(await allowedOf(limits, client, [1], { ...slow, name: 'other' })).toEqual([true]);
  });

  it('A cost above the burst needs a full bucket, and delays what follows', async () => {
    const client = anyClient();
    expect(await allowedOf(limits, client, [10, 1])).toEqual([true, false]);
    expect((await limits.charge(slow, client)).retryAfterMs).toBeGreaterThan(790_000);
    const other = anyClient();
    expect(await allowedOf(limits, other, [1, 10, 2])).toEqual([true, false, true]);
  });

  it('A refusal is known to the process until it ends, without a call, for this cost and greater ones', async () => {
    const client = anyClient();
    expect(limits.knownRefusal(slow, client)).toBeUndefined();
    await allowedOf(limits, client, [2, 2]);
    expect(limits.knownRefusal(slow, client, 2)).toMatchObject({ allowed: false, remaining: 1 });
    expect(limits.knownRefusal(slow, client, 3)).toMatchObject({ allowed: false });
    expect(limits.knownRefusal(slow, client, 1)).toBeUndefined();
    expect(await allowedOf(limits, client, [1])).toEqual([true]);
  });

  it('A key of Redis expires when its bucket is full again', async () => {
    const client = anyClient();
    await limits.charge(slow, client);
    const ttl = await redis.pttl(`${prefix}:bucket:slow:${client}`);
    expect(ttl).toBeGreaterThan(90_000);
    expect(ttl).toBeLessThanOrEqual(100_000);
  });

  it('After the clock of Redis was set back by an hour, a client waits no longer than before', async () => {
    const client = anyClient();
    const fast = { name: 'fast', perSecond: 10, burst: 3 };
    expect(await allowedOf(limits, client, [3], fast)).toEqual([true]);
    // The times in the bucket are then an hour in the future.
    const key = `${prefix}:bucket:fast:${client}`;
    const future = String(await redis.get(key)).replace(/\b\d{16}\b/g, (time) =>
      String(Number(time) + 3.6e9),
    );
    await redis.set(key, future, 'KEEPTTL');
    const refused = await limits.charge(fast, client);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.retryAfterMs).toBeLessThanOrEqual(100);
    await waitFor(async () => (await limits.charge(fast, client)).allowed, { deadlineMs: 5_000 });
  });

  it('Several processes together get no more than the limit and the burst of one', async () => {
    const rates = fc.record({
      perSecond: fc.integer({ min: 1, max: 500 }),
      burst: fc.integer({ min: 1, max: 30 }),
      costs: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 20, maxLength: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(rates, async ({ perSecond, burst, costs }) => {
        const limit = { name: 'property', perSecond, burst };
        const client = anyClient();
        const startedAt = performance.now();
        let passed = 0;
        let debt = 0;
        await Promise.all(
          costs.map(async (cost, index) => {
            for (let left = index % 20; left > 0; left -= 1) await setImmediate();
            const { limits: own } = processes[index % processes.length] as { limits: RateLimits };
            if (!(await own.charge(limit, client, cost)).allowed) return;
            passed += cost;
            debt = Math.max(debt, cost - burst);
          }),
        );
        const seconds = (performance.now() - startedAt) / 1_000;
        expect(passed).toBeGreaterThan(0);
        expect(passed).toBeLessThanOrEqual(Math.ceil(burst + seconds * perSecond + debt));
      }),
      { numRuns: 40 },
    );
  });

  it('While Redis is unavailable, each process counts for itself', async () => {
    let unavailable = true;
    const check = () => {
      if (unavailable) throw new Error('unavailable');
    };
    const [one, other] = [0, 1].map(() => openRateLimits(redis, { prefix, check })) as [
      RateLimits,
      RateLimits,
    ];
    const client = anyClient();
    expect(await allowedOf(one, client, [1, 1, 1, 1])).toEqual([true, true, true, false]);
    expect(await allowedOf(other, client, [3])).toEqual([true]);
    expect(await redis.keys(`${prefix}:bucket:slow:${client}`)).toEqual([]);
    unavailable = false;
    expect(await allowedOf(openRateLimits(redis, { prefix, check }), client, [1])).toEqual([true]);
  });

  it('Charging never fails, also when the connection does not exist', async () => {
    const unreachable = connectProducer('redis://127.0.0.1:1', testLog);
    try {
      const alone = openRateLimits(unreachable, { prefix });
      expect(await allowedOf(alone, anyClient(), [3, 1])).toEqual([true, false]);
    } finally {
      await disconnect(unreachable);
    }
  });
});
