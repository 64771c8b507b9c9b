import { testLog } from '../fixtures/test-log.ts';
import { connectProducer, disconnect } from '../redis.ts';
import { openHourlyLimit } from './hourly-limit.ts';

const prefix = `{hourly-limit-${process.pid}}`;
const redis = connectProducer(process.env['TEST_REDIS_URL'] as string, testLog);
const keys = () => redis.keys(`${prefix}:*`);
/** A limit as another process opens it, which remembers no refusal. */
const openLimit = (points: number, check?: () => void) =>
  openHourlyLimit(redis, { prefix, ...(check ? { check } : {}) })('links', points);

beforeAll(() => new Promise<void>((resolve) => void redis.once('ready', resolve)));
afterEach(async () => {
  const left = await keys();
  if (left.length > 0) await redis.del(...left);
});
afterAll(() => disconnect(redis));

describe('an hourly limit', () => {
  it('All processes together count up to the limit, also at once, separately for each merchant and thing', async () => {
    const processes = [openLimit(50), openLimit(50)];
    const counts = await Promise.all(
      Array.from({ length: 200 }, (_, index) => processes[index % 2]?.count('mer_1', 'a')),
    );
    expect(counts.filter((waitMs) => waitMs === undefined)).toHaveLength(50);
    expect(await processes[0]?.count('mer_1', 'b')).toBeUndefined();
    expect(await processes[0]?.count('mer_2', 'a')).toBeUndefined();
    expect(await openHourlyLimit(redis, { prefix })('clicks', 1).count('mer_1', 'a')).toBeUndefined();
  });

  it('A limit of zero is exceeded by the first count', async () => {
    expect(await openLimit(0).count('mer_1')).toBeGreaterThan(0);
  });

  it('A refusal has the time until the hour ends, which later counts do not extend', async () => {
    await openLimit(1).count('mer_1');
    await redis.pexpire((await keys()).join(), 1_000_000);
    const waitMs = await openLimit(1).count('mer_1');
    expect(waitMs).toBeGreaterThan(900_000);
    expect(waitMs).toBeLessThanOrEqual(1_000_000);
    await redis.pexpire((await keys()).join(), 0);
    expect(await openLimit(1).count('mer_1')).toBeUndefined();
    expect(await redis.pttl((await keys()).join())).toBeGreaterThan(3_500_000);
  });

  it('While Redis is said to be unavailable, each process counts for itself and sends nothing', async () => {
    let unavailable = true;
    const limit = openLimit(1, () => {
      if (unavailable) throw new Error('unavailable');
    });
    expect([await limit.count('mer_1'), await limit.count('mer_2')]).toEqual([undefined, undefined]);
    expect(await limit.count('mer_1')).toBeGreaterThan(3_500_000);
    expect(await keys()).toEqual([]);
    unavailable = false;
    expect(await limit.count('mer_1')).toBeUndefined();
  });

  it('A process that cannot reach Redis counts for itself', async () => {
    const unreachable = connectProducer('redis://127.0.0.1:1', testLog);
    try {
      const limit = openHourlyLimit(unreachable, { prefix })('links', 1);
      expect(await limit.count('mer_1')).toBeUndefined();
      expect(await limit.count('mer_1')).toBeGreaterThan(3_500_000);
    } finally {
      await disconnect(unreachable);
    }
  });
});
