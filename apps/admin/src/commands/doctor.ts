import { countBacklog, findFaults } from '@rewardhook/database';
import { checkDurability, openQueues } from '@rewardhook/pipeline';
import { command } from '../command.ts';

export const doctor = command({
  does: 'Count everything due, stuck or inconsistent. Exit code 1 when something is wrong.',
  required: {},
  async run(_options, { database, queuePrefix, redis }) {
    const [faults, backlog] = await Promise.all([findFaults(database), countBacklog(database)]);
    const connection = await redis();
    const queues = openQueues(connection, queuePrefix);
    const counts = await Promise.all(
      queues.map(async (queue) => [
        queue.name,
        await queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
      ]),
    );
    await Promise.all(queues.map((queue) => queue.close()));
    const durability = await checkDurability(connection, { info() {}, warn() {}, error() {} });
    const jobsFailed = counts.reduce(
      (sum, [, states]) => sum + ((states as { failed?: number }).failed ?? 0),
      0,
    );
    const redisSettingsWrong = durability.wrong.length;
    const clean = Object.values({ ...faults, jobsFailed, redisSettingsWrong }).every((count) => count === 0);
    return {
      document: {
        clean,
        faults: { ...faults, jobsFailed, redisSettingsWrong },
        backlog,
        queues: Object.fromEntries(counts),
        redis: durability,
      },
      ok: clean,
    };
  },
});
