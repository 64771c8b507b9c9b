import { cacheFor } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { hasWrongKey, isLate, readHeartbeats } from './heartbeats.ts';
import type { Heartbeat } from './heartbeats.ts';
import { openQueueStates } from './queue-states.ts';
import type { QueueState } from './queue-states.ts';
import type { Redis } from './redis.ts';
import { redisStates } from './redis-watch.ts';
import type { RedisWatch } from './redis-watch.ts';
import { housekeepingQueue, stageNames } from './stages.ts';

/** Every replica reads the same state: it is read again after this time, in milliseconds. */
const sharedForMs = 5_000;

/**
 * Opens the metrics of what is stored in Redis, queues and heartbeats, and of Redis itself. The connection must fail at
 * once while Redis is unavailable: the metrics then have no values, except `redis_state`.
 */
export function measureRedis(
  redis: Redis,
  prefix: string,
  watch: RedisWatch,
  { metrics, release }: Pick<ProcessContext, 'metrics' | 'release'>,
): void {
  metrics.gauge(
    'redis_memory_used_bytes',
    'Memory that Redis uses; max over replicas',
    () => watch.memory()?.usedBytes,
  );
  metrics.gauge(
    'redis_memory_max_bytes',
    'Memory that Redis may use (maxmemory), 0 when there is no limit; max over replicas',
    () => watch.memory() && (watch.memory()?.maxBytes ?? 0),
  );
  metrics.gauges(
    'redis_state',
    '1 for the state of Redis as this process sees it, 0 for the others; sum over replicas',
    ['state'],
    () => redisStates.map((state) => ({ labels: { state }, value: Number(watch.state() === state) })),
  );

  const queues = openQueueStates(redis, prefix);
  release('queues of the metrics', () => queues.close());
  const readStates = cacheFor(sharedForMs, () => queues.read());
  const ofQueues = (name: string, help: string, valueOf: (state: QueueState) => number) =>
    metrics.gauges(name, `${help}; max over replicas`, ['queue'], async () =>
      Object.entries(await readStates()).map(([queue, state]) => ({
        labels: { queue },
        value: valueOf(state),
      })),
    );
  metrics.gauges('queue_jobs', 'Jobs by queue and state; max over replicas', ['queue', 'state'], async () =>
    Object.entries(await readStates()).flatMap(([queue, { jobs }]) =>
      Object.entries(jobs).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
  );
  ofQueues('queue_paused', 'Whether the queue is paused, 1 or 0', ({ isPaused }) => Number(isPaused));
  ofQueues(
    'queue_oldest_job_age_seconds',
    'Age of the oldest job that is waiting, prioritized, delayed or active; 0 when there is none',
    ({ oldestSeconds }) => oldestSeconds,
  );
  // A failed run of a housekeeping task is not parked: the next run is its retry.
  metrics.gauges(
    'jobs_parked',
    'Jobs that failed repeatedly and are not retried; max over replicas',
    ['queue'],
    async () => {
      const states = await readStates();
      return stageNames.map((queue) => ({ labels: { queue }, value: states[queue].jobs.failed }));
    },
  );
  ofQueues(
    'jobs_failing',
    'Delayed jobs that failed at least 3 times because of their content',
    ({ failing }) => failing,
  );

  const beats = cacheFor(sharedForMs, () => readHeartbeats(redis, prefix));
  const ofProcesses = (name: string, help: string, counts: (heartbeat: Heartbeat) => boolean) =>
    metrics.gauges(name, `${help}; max over replicas`, ['process'], async () => {
      const heartbeats = await beats();
      const names = [
        ...new Set(['api', ...stageNames, housekeepingQueue, ...heartbeats.map(({ process }) => process)]),
      ];
      return names.map((process) => ({
        labels: { process },
        value: heartbeats.filter((heartbeat) => heartbeat.process === process && counts(heartbeat)).length,
      }));
    });
  ofProcesses('processes', 'Processes with a recent heartbeat', (one) => !one.ended && !isLate(one));
  ofProcesses('processes_late', 'Processes whose heartbeat is late: frozen, or killed', isLate);
  ofProcesses(
    'processes_wrong_key',
    'Processes whose SECRETS_KEY does not open the stored secrets, for 10 minutes after they ended',
    (one) => hasWrongKey(one),
  );
}
