import { withTimeout } from '@rewardhook/process';
import type { ProcessContext, ProcessStatus } from '@rewardhook/process';
import type { InstallationWatch } from './installation.ts';
import type { Redis } from './redis.ts';

/*
 * Each process writes a heartbeat to Redis: the proof that it runs, is not frozen, and can write to Redis. A process that
 * stops removes it. What remains of one that was killed or is frozen is a late heartbeat, which is forgotten after an
 * hour. All times are those of Redis, so that clocks of hosts need not agree.
 */

/** Milliseconds between two heartbeats of a process. */
const intervalMs = 5_000;

/** A heartbeat of this age, in seconds, is late. */
export const lateAfterSeconds = 20;

/** A late heartbeat is forgotten after this time, in seconds; a reported problem of a process that ended earlier. */
const forgottenAfterSeconds = 3_600;
const problemForgottenAfterSeconds = 600;

/** A heartbeat as it was last written. */
export interface Heartbeat extends ProcessStatus {
  startedAt: string;
  beatAt: string;
  ageSeconds: number;
  /** Whether the process ended and left the reason in `problem`. */
  ended: boolean;
}

/** What Redis has of a heartbeat, with times in milliseconds. */
interface Stored {
  /** The `ProcessStatus` as JSON. */
  status: string;
  startedAt: number;
  beatAt: number;
  ended: boolean;
}

const keyOf = (prefix: string) => `${prefix}:heartbeats`;

/** The times of the last heartbeats by the name of the process. They are kept when it stops. */
const lastSeenKeyOf = (prefix: string) => `${prefix}:heartbeats:last-seen`;

/** The heartbeat of this process. */
export interface RunningHeartbeat {
  /** @throws when the last heartbeat could not be written, with the reason */
  check(): void;
}

/**
 * Starts the heartbeat of this process when its queues are known to belong to its installation; it ends at shutdown. The
 * connection must fail at once while Redis is away.
 */
export function startHeartbeat(
  redis: Redis,
  prefix: string,
  { log, release, status }: Pick<ProcessContext, 'log' | 'release' | 'status'>,
  installation: InstallationWatch,
): RunningHeartbeat {
  const startedAt = performance.now();
  /** Why the last heartbeat could not be written. */
  let problem: string | undefined;
  let written = false;
  let writing = false;
  const write = async (ended: boolean) => {
    const now = await readTime(redis);
    const beat: Stored = {
      status: JSON.stringify(status),
      startedAt: Math.round(now - (performance.now() - startedAt)),
      beatAt: now,
      ended,
    };
    await redis.hset(keyOf(prefix), status.id, JSON.stringify(beat));
    if (!ended) await redis.hset(lastSeenKeyOf(prefix), status.process, now);
    const all = await readHeartbeats(redis, prefix);
    const forgotten = all.filter((other) => isForgotten(other, status, beat)).map(({ id }) => id);
    if (forgotten.length > 0) await redis.hdel(keyOf(prefix), ...forgotten);
  };
  const beat = async () => {
    if (writing || redis.status !== 'ready' || installation.refusal() !== undefined) return;
    writing = true;
    try {
      await write(false);
      if (problem !== undefined) log.info('Redis accepts writes again');
      problem = undefined;
      written = true;
    } catch (error) {
      const { message } = error as Error;
      if (problem === undefined) log.warn('Redis does not accept a write', { error: message });
      problem = message;
    } finally {
      writing = false;
    }
  };
  const beatNow = () => void beat();
  const beatWhenConfirmed = () => void installation.confirmed().then(beatNow);
  const timer = setInterval(beatNow, intervalMs);
  redis.on('ready', beatWhenConfirmed);
  beatWhenConfirmed();

  release('heartbeat', async () => {
    clearInterval(timer);
    redis.off('ready', beatWhenConfirmed);
    // The process may end before it has connected.
    if (status.problem !== undefined)
      await withTimeout(installation.confirmed(), 2_000, 'not confirmed').catch(() => undefined);
    if (redis.status !== 'ready' || installation.refusal() !== undefined) return;
    await (status.problem === undefined ? redis.hdel(keyOf(prefix), status.id) : write(true));
  });
  return {
    check() {
      if (redis.status !== 'ready') throw new Error('Redis is unreachable');
      if (problem !== undefined) throw new Error(`Redis does not accept a write: ${problem}`);
      if (!written) throw new Error('Redis has not answered yet');
    },
  };
}

/** Whether a heartbeat is forgotten when this one is written. A problem is forgotten when the process runs again on the same host. */
function isForgotten(other: Heartbeat, status: ProcessStatus, { startedAt, ended }: Stored): boolean {
  if (other.id === status.id) return false;
  if (other.ageSeconds > (other.ended ? problemForgottenAfterSeconds : forgottenAfterSeconds)) return true;
  const runsAgain = !ended && status.problem === undefined && startedAt > Date.parse(other.beatAt);
  return other.ended && runsAgain && other.process === status.process && other.host === status.host;
}

const readTime = async (redis: Redis): Promise<number> => {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
};

/** Reads all heartbeats, by the name of the process. @throws when Redis is unavailable */
export async function readHeartbeats(redis: Redis, prefix: string): Promise<Heartbeat[]> {
  const [now, values] = await Promise.all([readTime(redis), redis.hvals(keyOf(prefix))]);
  return values
    .map((value) => JSON.parse(value) as Stored)
    .map(({ status, startedAt, beatAt, ended }) => ({
      ...(JSON.parse(status) as ProcessStatus),
      startedAt: new Date(startedAt).toISOString(),
      beatAt: new Date(beatAt).toISOString(),
      ageSeconds: Math.max(0, (now - beatAt) / 1_000),
      ended,
    }))
    .sort((one, other) => one.process.localeCompare(other.process) || one.id.localeCompare(other.id));
}

/** How long ago a process of each name last wrote a heartbeat, in seconds. @throws when Redis is unavailable */
export async function readLastSeen(redis: Redis, prefix: string): Promise<Map<string, number>> {
  const [now, times] = await Promise.all([readTime(redis), redis.hgetall(lastSeenKeyOf(prefix))]);
  return new Map(
    Object.entries(times).map(([process, at]) => [process, Math.max(0, (now - Number(at)) / 1_000)]),
  );
}

/** Whether a process that did not end is late with its heartbeat: it is frozen, was killed, or cannot reach Redis. */
export function isLate({ ended, ageSeconds }: Heartbeat): boolean {
  return !ended && ageSeconds > lateAfterSeconds;
}

/** Whether the SECRETS_KEY of a process does not open the stored secrets, or lacks the key `known`. */
export function hasWrongKey({ problem, secretsKeys, ended, ageSeconds }: Heartbeat, known?: string): boolean {
  if (problem === 'wrong_key') return true;
  const isRunning = !ended && ageSeconds <= lateAfterSeconds;
  return known !== undefined && isRunning && secretsKeys.length > 0 && !secretsKeys.includes(known);
}
