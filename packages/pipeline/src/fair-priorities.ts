import type { Queue } from 'bullmq';
import type { Redis } from './redis.ts';

/*
 * Start-time fair queueing over the merchants of one queue. BullMQ takes the waiting job with the lowest priority first,
 * so the priority of a job is its merchant's virtual finish time: the finish time of the merchant's job before, or the
 * virtual time if that is later, plus the weight of the job: its KiB in `sync`, its orders in `reward-evaluation`. The virtual time follows
 * the first waiting job. So a merchant with nothing waiting goes ahead of what others have waiting, and merchants that all have orders
 * waiting get equal shares (docs/decisions/050).
 *
 * Jobs of one merchant may run in any order: versions decide which state of an order is the newest.
 */

/**
 * The weight of one step of priority. BullMQ has 2,097,151 priorities, so they last while the queue is never empty and each
 * of the merchants gets 200 million units done; after that, jobs run in the order of their arrival until it is empty.
 */
export const weightPerStep = 100;

/** The greatest priority of BullMQ, which is the last one to run. */
export const lastPriority = 2_097_151;

/**
 * KEYS[1] the finish times of merchants, with the virtual time as the member `now`, in weight
 * KEYS[2] BullMQ's set of waiting jobs, which has priority * 2^32 + a counter as its score
 * ARGV[1] weight of one step of priority       ARGV[3] 1 to record the finish times
 * ARGV[2] the greatest priority
 * ARGV[4…] of each job its merchant, its weight, and the most that the merchant may have waiting; 0: no limit
 *
 * Returns for each job the start of the job on the merchant's virtual clock, or -1 - the weight that the merchant has
 * waiting, when the limit would be exceeded.
 *
 * The virtual time is one step before that of the first waiting job, so that the small job of a merchant that has
 * nothing waiting do not share its step with the jobs that are about to run.
 */
const script = `
local step, last = tonumber(ARGV[1]), tonumber(ARGV[2])
local first = redis.call('ZRANGE', KEYS[2], 0, '0', 'WITHSCORES')[2]
local now = 0
if first then
  first = math.floor(tonumber(first) / 4294967296)
  now = math.max(tonumber(redis.call('ZSCORE', KEYS[1], 'now') or 0), (first - 2) * step)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now))
  redis.call('ZADD', KEYS[1], now, 'now')
else
  -- Nothing waits: everyone is equal again.
  redis.call('DEL', KEYS[1])
end
local finishes, starts, total = {}, {}, 0
for index = 4, #ARGV, 3 do
  local merchant, weight, limit = ARGV[index], tonumber(ARGV[index + 1]), tonumber(ARGV[index + 2])
  local finish = finishes[merchant] or tonumber(redis.call('ZSCORE', KEYS[1], merchant) or 0)
  local start = math.max(now, finish)
  if limit > 0 and start > now and start - now + weight > limit and (first or 0) < last then
    starts[#starts + 1] = -1 - (start - now)
  else
    finishes[merchant] = start + weight
    starts[#starts + 1] = start
    total = total + weight
  end
end
-- One step or less is not recorded while nothing waits: so an order on an idle system causes no write to disk here.
if ARGV[3] == '1' and next(finishes) and (first or total > step) then
  redis.call('ZADD', KEYS[1], now, 'now')
  for merchant, finish in pairs(finishes) do redis.call('ZADD', KEYS[1], finish, merchant) end
end
return starts`;

/** The key of the finish times in a queue. */
const finishTimesKey = 'fair:finish-times';

/** A job that is about to be enqueued. */
export interface WeighedJob {
  merchantId: string;
  weight: number;
  /** The most weight that the merchant may have waiting, instead of the limit of all; 0 means no limit. */
  limit?: number | undefined;
}

/** The merchant has as much waiting as one merchant may have. Nothing was enqueued. */
export class TooManyWaiting extends Error {}

/** Assigns the priorities of the jobs of one queue. */
export interface FairPriorities {
  /**
   * Returns the priority of each job, and counts it as waiting, except small ones while nothing waits. The jobs must be added
   * soon: while nothing waits, everything is forgotten. A job that exceeds the limit results in `TooManyWaiting`.
   * @throws when Redis is unavailable
   */
  assign(jobs: WeighedJob[]): Promise<(number | TooManyWaiting)[]>;
  /** The same for jobs that may be in the queue already: they are not counted again. */
  assignAgain(jobs: WeighedJob[]): Promise<number[]>;
}

/** Opens the priorities of a queue. `limit` is the most weight that a merchant may have waiting; 0 means no limit. */
export function openFairPriorities(redis: Redis, queue: Pick<Queue, 'toKey'>, limit = 0): FairPriorities {
  redis.defineCommand('claimPriority', { numberOfKeys: 2, lua: script });
  const commands = redis as Redis & { claimPriority(...args: (string | number)[]): Promise<number[]> };
  // No job has an id with a colon.
  const keys = [queue.toKey(finishTimesKey), queue.toKey('prioritized')];
  const startsOf = (jobs: WeighedJob[], count: 0 | 1) =>
    commands.claimPriority(
      ...keys,
      weightPerStep,
      lastPriority,
      count,
      ...jobs.flatMap(({ merchantId, weight, limit: own = limit }) => [merchantId, weight, count ? own : 0]),
    );
  /** The step that the finish time of the job is in. */
  const priorityOf = (start: number, share: WeighedJob | undefined) =>
    Math.min(lastPriority, 1 + Math.floor((start + (share?.weight ?? 0)) / weightPerStep));
  return {
    assign: async (jobs) =>
      (await startsOf(jobs, 1)).map((at, index) =>
        at < 0
          ? new TooManyWaiting(`jobs of ${-1 - at} KiB of the merchant wait to be stored`)
          : priorityOf(at, jobs[index]),
      ),
    assignAgain: async (jobs) => (await startsOf(jobs, 0)).map((at, index) => priorityOf(at, jobs[index])),
  };
}

/** The weight that a merchant has waiting in a queue: in `sync`, KiB of orders. */
export interface WaitingShare {
  merchantId: string;
  waiting: number;
}

/**
 * Reads the merchants that have most waiting in a queue, at most `limit`. A merchant with one step or less is left out while nothing
 * else waits. @throws when Redis is unavailable
 */
export async function readWaitingShares(
  redis: Redis,
  queue: Pick<Queue, 'toKey'>,
  limit: number,
): Promise<WaitingShare[]> {
  const [first, recorded, finishes] = await Promise.all([
    redis.zrange(queue.toKey('prioritized'), 0, '0', 'WITHSCORES'),
    redis.zscore(queue.toKey(finishTimesKey), 'now'),
    redis.zrange(queue.toKey(finishTimesKey), 0, String(limit), 'REV', 'WITHSCORES'),
  ]);
  const score = first[1];
  if (score === undefined) return [];
  const step = Math.floor(Number(score) / 2 ** 32);
  const now = Math.max(Number(recorded ?? 0), (step - 2) * weightPerStep);
  const jobs: WaitingShare[] = [];
  for (let index = 0; index < finishes.length; index += 2) {
    const [merchantId = '', finish = '0'] = finishes.slice(index, index + 2);
    const waiting = Number(finish) - now;
    if (merchantId !== 'now' && waiting > 0) jobs.push({ merchantId, waiting });
  }
  return jobs.slice(0, limit);
}
