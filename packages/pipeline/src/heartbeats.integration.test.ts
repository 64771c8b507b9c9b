import { openProcessStatus } from '@rewardhook/process';
import type { ProcessStatus } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { testLog as log } from './fixtures/test-log.ts';
import { anyInstallation } from './installation.ts';
import { hasWrongKey, isLate, readHeartbeats, readLastSeen, startHeartbeat } from './heartbeats.ts';
import { connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';

describe('Heartbeats', () => {
  let redis: Redis;
  let prefix: string;
  beforeAll(async () => {
    redis = connectWorker(process.env['TEST_REDIS_URL'] as string, log);
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  });
  afterAll(() => disconnect(redis));
  beforeEach(() => {
    prefix = `{beats-${process.pid}-${Math.random()}}`;
  });

  /** Starts the heartbeat of a process. `stop` is its clean end. */
  function start(name: string, changes: Partial<ProcessStatus> = {}) {
    const status = { ...openProcessStatus(name), ...changes };
    const closing: (() => unknown)[] = [];
    const context = {
      log: log as never,
      status,
      release: (_name: string, close: () => unknown) => void closing.push(close),
    };
    const heartbeat = startHeartbeat(redis, prefix, context, anyInstallation);
    const stop = async () => {
      for (const close of closing) await close();
    };
    return { status, heartbeat, stop };
  }
  const read = () => readHeartbeats(redis, prefix);
  const ids = async () => (await read()).map(({ id }) => id).join();
  /** Makes the heartbeats older, as if their processes were frozen. */
  const age = async (ms: number) => {
    const key = `${prefix}:heartbeats`;
    for (const [id, text] of Object.entries(await redis.hgetall(key))) {
      const stored = JSON.parse(text) as { beatAt: number };
      await redis.hset(key, id, JSON.stringify({ ...stored, beatAt: stored.beatAt - ms }));
    }
  };
  const written = async (count: number) =>
    waitFor(async () => (await read()).length === count, { everyMs: 5 });

  it('A running process has a heartbeat with its name, host and version, and none after a clean end', async () => {
    const { status, stop, heartbeat } = start('sync');
    await written(1);
    const [beat] = await read();
    expect(beat).toMatchObject({ ...status, ended: false });
    expect(beat && isLate(beat)).toBe(false);
    const isHealthy = async () => {
      heartbeat.check();
      return true;
    };
    await waitFor(isHealthy, { everyMs: 5 });
    await stop();
    expect(await read()).toEqual([]);
    const lastSeen = await readLastSeen(redis, prefix);
    expect([...lastSeen.keys()]).toEqual(['sync']);
    expect(lastSeen.get('sync')).toBeLessThan(60);
  });

  it('A heartbeat that is not renewed is late, and is forgotten after an hour by the next process that writes', async () => {
    const frozen = start('sync');
    await written(1);
    await age(30_000);
    const [late] = await read();
    expect(late && isLate(late)).toBe(true);
    await age(3_600_000);
    const other = start('sync');
    await waitFor(async () => (await ids()) === other.status.id, { everyMs: 5 });
    await Promise.all([frozen.stop(), other.stop()]);
  });

  it('A process that ends because of a wrong key leaves the reason, until one is started after it on its host', async () => {
    const first = start('webhook-delivery', { secretsKeys: ['aaa'] });
    await written(1);
    first.status.problem = 'wrong_key';
    await first.stop();
    const [ended] = await read();
    expect(ended).toMatchObject({ ended: true, problem: 'wrong_key' });
    expect(ended && hasWrongKey(ended)).toBe(true);
    expect(ended && isLate(ended)).toBe(false);
    const second = start('webhook-delivery', { secretsKeys: ['bbb'] });
    await waitFor(async () => (await ids()) === second.status.id, { everyMs: 5 });
    expect((await read()).map((one) => hasWrongKey(one, 'bbb'))).toEqual([false]);
    expect((await read()).map((one) => hasWrongKey(one, 'ccc'))).toEqual([true]);
    await second.stop();
  });
});
