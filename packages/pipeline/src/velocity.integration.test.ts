import { testLog } from './fixtures/test-log.ts';
import { connectProducer, disconnect } from './redis.ts';
import { openVelocity, withLocalFallback } from './velocity.ts';
import type { Counter, Velocity } from './velocity.ts';

const prefix = `{velocity-${process.pid}}`;
const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog);
const counts = async (velocity: Velocity, merchantId: string, counters: Counter[]) =>
  (await velocity.count(merchantId, counters)).map(({ count }) => count);
const keys = () => redis.keys(`${prefix}:*`);

beforeAll(() => new Promise<void>((resolve) => void redis.once('ready', resolve)));
afterEach(async () => {
  const left = await keys();
  if (left.length > 0) await redis.del(...left);
});
afterAll(() => disconnect(redis));

describe('velocity', () => {
  it('Several counters are incremented independently in one call', async () => {
    const velocity = openVelocity(redis, { prefix });
    const code = { name: 'code', of: 'AAAA2222' };
    expect(await counts(velocity, 'mer_1', [code, { name: 'address', of: 'x' }])).toEqual([1, 1]);
    expect(await counts(velocity, 'mer_1', [code, { name: 'address', of: 'y' }])).toEqual([2, 1]);
    expect(await counts(velocity, 'mer_1', [{ name: 'address', of: code.of }])).toEqual([1]);
  });

  it('The counters of one merchant do not count for another', async () => {
    const velocity = openVelocity(redis, { prefix });
    const code = { name: 'code', of: 'AAAA2222' };
    await velocity.count('mer_1', [code]);
    expect(await counts(velocity, 'mer_2', [code])).toEqual([1]);
  });

  it('No count is lost when many are made at once', async () => {
    const velocity = openVelocity(redis, { prefix });
    const all = await Promise.all(
      Array.from({ length: 200 }, () => counts(velocity, 'mer_1', [{ name: 'code', of: 'AAAA2222' }])),
    );
    expect(all.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it('A counter expires at the end of its window, which later counts do not extend', async () => {
    const velocity = openVelocity(redis, { prefix });
    await velocity.count('mer_1', [{ name: 'code', of: 'AAAA2222' }]);
    const key = (await keys()).join();
    await redis.pexpire(key, 1_000_000);
    await velocity.count('mer_1', [{ name: 'code', of: 'AAAA2222' }]);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(1_000_000);
    await redis.pexpire(key, 0);
    expect(await counts(velocity, 'mer_1', [{ name: 'code', of: 'AAAA2222' }])).toEqual([1]);
    expect(await redis.pttl(key)).toBeGreaterThan(3_500_000);
  });

  it('A count comes with the time until its window ends', async () => {
    const [counted] = await openVelocity(redis, { prefix, windowMs: 60_000 }).count('mer_1', [
      { name: 'code', of: 'x' },
    ]);
    expect(counted?.endsInMs).toBeGreaterThan(50_000);
    expect(counted?.endsInMs).toBeLessThanOrEqual(60_000);
  });

  it('While Redis is unavailable, each process counts for itself, by merchant and counter', async () => {
    let unavailable = true;
    const velocity = withLocalFallback(openVelocity(redis, { prefix }), () => {
      if (unavailable) throw new Error('unavailable');
    });
    const code = { name: 'code', of: 'AAAA2222' };
    expect(await counts(velocity, 'mer_1', [code, { name: 'address', of: 'x' }])).toEqual([1, 1]);
    expect(await counts(velocity, 'mer_1', [code])).toEqual([2]);
    expect(await counts(velocity, 'mer_2', [code])).toEqual([1]);
    expect(await keys()).toEqual([]);
    unavailable = false;
    expect(await counts(velocity, 'mer_1', [code])).toEqual([1]);
  });

  it('Counting fails at once when Redis is unavailable', async () => {
    const unreachable = connectProducer('redis://127.0.0.1:1', testLog);
    try {
      const counting = openVelocity(unreachable, { prefix }).count('mer_1', [
        { name: 'code', of: 'AAAA2222' },
      ]);
      await expect(counting).rejects.toThrow(/./);
    } finally {
      await disconnect(unreachable);
    }
  });
});
