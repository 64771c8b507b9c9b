import { countBacklog, findBadTimeZones, findFaults, listParked } from '@rewardhook/database';
import { checkDurability, maxUsedShare, openQueues, readMemory, usedShare } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { command } from '../command.ts';

export const doctor = command({
  description:
    'Count everything that is due, stuck or inconsistent. The exit code is 1 when something is wrong.',
  audit: null,
  required: {},
  async run(_options, { database, queuePrefix, redis }) {
    const [faults, backlog, parked, timeZones] = await Promise.all([
      findFaults(database),
      countBacklog(database),
      listParked(database),
      findBadTimeZones(database),
    ]);
    const connection = await redis();
    const queues = openQueues(connection, queuePrefix);
    const counts = await Promise.all(
      queues.map(async (queue) => [
        queue.name,
        await queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
      ]),
    );
    await Promise.all(queues.map((queue) => queue.close()));
    const durability = await checkDurability(connection, { info() {}, warn() {}, error() {} });
    const memory = await measureRedis(connection);
    const jobsFailed = counts.reduce(
      (sum, [, states]) => sum + ((states as { failed?: number }).failed ?? 0),
      0,
    );
    const redisSettingsWrong = durability.wrong.length;
    const timeZonesUnknown = timeZones.length;
    const allFaults = {
      ...faults,
      timeZonesUnknown,
      jobsFailed,
      redisSettingsWrong,
      redisFull: Number(memory.refusesOrders),
    };
    const clean = Object.values(allFaults).every((count) => count === 0);
    return {
      document: {
        clean,
        faults: allFaults,
        parked,
        timeZones,
        backlog,
        queues: Object.fromEntries(counts),
        redis: { ...durability, memory },
      },
      ok: clean,
    };
  },
});

/** The memory use of Redis. From a share of `refusesOrdersAt` on, the API answers 503. */
async function measureRedis(redis: Redis) {
  const memory = await readMemory(redis);
  const share = usedShare(memory);
  return {
    ...memory,
    share: share === undefined ? null : Math.round(share * 1_000) / 1_000,
    refusesOrdersAt: maxUsedShare,
    refusesOrders: share !== undefined && share >= maxUsedShare,
  };
}
