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

interface Stored {
  status: ProcessStatus;
  startedAt: number;
  beatAt: number;
  ended: boolean;
}

// KEYS: heartbeats. ARGV: id, status, start of this process in ms ago, 1 if it ended, and the two times in seconds after
// which others are forgotten. An ended process is also forgotten when one of the same name was started after it on the
// same host.
const beatScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local status = cjson.decode(ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode({
  status = ARGV[2], startedAt = now - ARGV[3], beatAt = now, ended = ARGV[4] == '1' }))
for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
  if id ~= ARGV[1] then
    local other = cjson.decode(redis.call('HGET', KEYS[1], id))
    local age = (now - other.beatAt) / 1000
    local theirs = cjson.decode(other.status)
    local succeeded = other.ended and ARGV[4] == '0' and status.problem == nil
      and theirs.process == status.process and theirs.host == status.host
      and now - ARGV[3] > other.beatAt
    if age > tonumber(ARGV[5]) or (other.ended and age > tonumber(ARGV[6])) or succeeded then
      redis.call('HDEL', KEYS[1], id)
    end
  end
end`;

const readScript = `
local time = redis.call('TIME')
return { tostring(time[1] * 1000 + math.floor(time[2] / 1000)), redis.call('HVALS', KEYS[1]) }`;

const keyOf = (prefix: string) => `${prefix}:heartbeats`;

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
  const write = (ended: boolean) =>
    redis.eval(
      beatScript,
      1,
      keyOf(prefix),
      status.id,
      JSON.stringify(status),
      Math.round(performance.now() - startedAt),
      ended ? 1 : 0,
      forgottenAfterSeconds,
      problemForgottenAfterSeconds,
    );
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

/** Reads all heartbeats, by the name of the process. @throws when Redis is unavailable */
export async function readHeartbeats(redis: Redis, prefix: string): Promise<Heartbeat[]> {
  const [now, values] = (await redis.eval(readScript, 1, keyOf(prefix))) as [string, string[]];
  return values
    .map((value) => JSON.parse(value) as Omit<Stored, 'status'> & { status: string })
    .map(({ status, startedAt, beatAt, ended }) => ({
      ...(JSON.parse(status) as ProcessStatus),
      startedAt: new Date(startedAt).toISOString(),
      beatAt: new Date(beatAt).toISOString(),
      ageSeconds: Math.max(0, (Number(now) - beatAt) / 1_000),
      ended,
    }))
    .sort((one, other) => one.process.localeCompare(other.process) || one.id.localeCompare(other.id));
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
