import { checkDurability } from './durability.ts';
import { findAbsentProcesses } from './expected-processes.ts';
import type { ExpectedProcess } from './expected-processes.ts';
import { hasWrongKey, isLate, readHeartbeats, readLastSeen } from './heartbeats.ts';
import type { Heartbeat } from './heartbeats.ts';
import { listParkedJobs } from './parked-jobs.ts';
import { probeRedis } from './probe-redis.ts';
import { openQueueStates } from './queue-states.ts';
import type { QueueState, QueueStates } from './queue-states.ts';
import { maxUsedShare, readMemory, usedShare } from './redis-memory.ts';
import type { Redis } from './redis.ts';
import { housekeepingQueue, stageNames } from './stages.ts';

/** A request is overdue when it has waited longer to be stored, in seconds. */
const requestOverdueSeconds = 60;

/** Work that has waited longer than this shows that no process takes it, in seconds. */
const untakenSeconds = 15;

/** Parked jobs that are listed, of each queue. */
const listedJobs = 20;

/** Merchants with orders waiting to be stored that are listed. */
const listedMerchants = 20;

const noLog = { info() {}, warn() {}, error() {} };

/**
 * Checks what is stored in Redis: queues, processes and Redis itself. `secretsKeys` are the fingerprints of the keys
 * that open the stored secrets, `expected` the processes that should run. @throws when Redis is not available
 */
export async function checkPipeline(
  redis: Redis,
  prefix: string,
  { secretsKeys, expected }: { secretsKeys: string[]; expected: ExpectedProcess[] },
) {
  const queueStates = openQueueStates(redis, prefix);
  const queues = await queueStates.read();
  const [waitingKib, heartbeats, lastSeen, memory, writeError, durability, jobsParked] = await Promise.all([
    queueStates.readWaitingKib(listedMerchants),
    readHeartbeats(redis, prefix),
    readLastSeen(redis, prefix),
    measureMemory(redis),
    probeRedis(redis, prefix),
    checkDurability(redis, noLog),
    listParkedJobs(redis, prefix, { limit: listedJobs }),
  ]);
  await queueStates.close();
  const all = Object.values(queues);
  const sum = (valueOf: (state: QueueState) => number) =>
    all.reduce((total, state) => total + valueOf(state), 0);
  const { sync } = queues;
  // When Redis takes no writes, no process can write its heartbeat.
  const known = writeError === null ? heartbeats : [];
  const missing =
    writeError === null
      ? findAbsentProcesses({ heartbeats, lastSeen }, expected, (process) => waits(process, queues))
      : [];
  return {
    faults: {
      /** Jobs that were parked after repeated failures. The next run of a housekeeping task is its retry. */
      jobsFailed: sum(({ jobs }) => jobs.failed) - queues[housekeepingQueue].jobs.failed,
      /** Jobs that fail because of their content and will be parked. */
      jobsFailing: sum(({ failing }) => failing),
      queuesPaused: sum(({ isPaused }) => Number(isPaused)),
      /** Accepted requests that wait, when the oldest has waited for over a minute. */
      requestsOverdue: sync.oldestSeconds > requestOverdueSeconds ? sync.unfinished : 0,
      processesLate: findLate(known, queues).length,
      processesMissing: missing.length,
      processesWithWrongKey: heartbeats.filter((one) => hasWrongKey(one, secretsKeys[0])).length,
      redisSettingsWrong: durability.wrong.length,
      redisFull: Number(memory.refusesOrders),
      redisNotWritable: Number(writeError !== null),
    },
    queues: Object.fromEntries(
      Object.entries(queues).map(([name, { jobs, ...state }]) => [name, { ...jobs, ...state }]),
    ),
    jobsParked,
    processesMissing: missing,
    /** The promise to store what was accepted. */
    stored: {
      requests: sync.unfinished,
      oldestSeconds: sync.oldestSeconds,
      merchants: waitingKib.map(({ merchantId, waiting }) => ({ merchantId, kib: Math.ceil(waiting) })),
    },
    processes: heartbeats.map(({ ageSeconds, ...one }) => ({
      ...one,
      late: isLate({ ageSeconds, ...one }),
      wrongKey: hasWrongKey({ ageSeconds, ...one }, secretsKeys[0]),
    })),
    redis: { ...durability, memory, writeError },
  };
}

/** The processes that take jobs: each has the name of its queue. */
const workers = [...stageNames, housekeepingQueue] as const;

/** Whether jobs of a process wait and are not taken. */
function waits(process: string, queues: QueueStates): boolean {
  const worker = workers.find((name) => name === process);
  return (
    worker !== undefined && queues[worker].unfinished > 0 && queues[worker].oldestSeconds > untakenSeconds
  );
}

/**
 * Processes that are frozen or were killed, when that matters: their work waits, or no other process of the name runs. A
 * process that was killed and replaced is no fault.
 */
function findLate(heartbeats: Heartbeat[], queues: QueueStates): Heartbeat[] {
  const running = new Set(heartbeats.filter((one) => !one.ended && !isLate(one)).map((one) => one.process));
  return heartbeats.filter((one) => isLate(one) && (!running.has(one.process) || waits(one.process, queues)));
}

/** The memory use of Redis. From a share of `refusesOrdersAt` on, the API answers 503. */
async function measureMemory(redis: Redis) {
  const memory = await readMemory(redis);
  const share = usedShare(memory);
  return {
    ...memory,
    share: share === undefined ? null : Math.round(share * 1_000) / 1_000,
    refusesOrdersAt: maxUsedShare,
    refusesOrders: share !== undefined && share >= maxUsedShare,
  };
}
