import type { Queue } from 'bullmq';
import type { Redis } from './redis.ts';

/*
 * Start-time fair queueing over the merchants of one queue. BullMQ takes the waiting job with the lowest priority first,
 * so the priority of a job is its merchant's virtual finish time: the finish time of the merchant's job before, or the
 * virtual time if that is later, plus the number of orders of the job. The virtual time follows the first waiting job.
 * So a merchant with nothing waiting goes ahead of what others have waiting, and merchants that all have orders waiting
 * get equal shares (docs/decisions/050).
 *
 * Jobs of one merchant may run in any order: versions decide which state of an order is the newest.
 */

/**
 * Orders of one step of priority. BullMQ has 2,097,151 priorities, so they last while the queue is never empty and each
 * of the merchants gets 200 million orders done; after that, jobs run in the order of their arrival until it is empty.
 */
export const ordersPerStep = 100;

/** The greatest priority of BullMQ, which is the last one to run. */
export const lastPriority = 2_097_151;

/**
 * KEYS[1] the finish times of merchants, with the virtual time as the member `now`, in orders
 * KEYS[2] BullMQ's set of waiting jobs, which has priority * 2^32 + a counter as its score
 * ARGV[1] orders of one step of priority       ARGV[3] 1 to record the finish times
 * ARGV[2] the greatest priority                ARGV[4] the most orders that a merchant may have waiting; 0: no limit
 * ARGV[5…] pairs of merchant and number of orders
 *
 * Returns for each pair the start of its first order on the merchant's virtual clock, or -1 - the number of orders that
 * the merchant has waiting, when the limit would be exceeded.
 *
 * The virtual time is one step before that of the first waiting job, so that the few orders of a merchant that has
 * nothing waiting do not share its step with the jobs that are about to run.
 */
const script = `
local step, last, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
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
for index = 5, #ARGV, 2 do
  local merchant, orders = ARGV[index], tonumber(ARGV[index + 1])
  local finish = finishes[merchant] or tonumber(redis.call('ZSCORE', KEYS[1], merchant) or 0)
  local start = math.max(now, finish)
  if limit > 0 and start > now and start - now + orders > limit and (first or 0) < last then
    starts[#starts + 1] = -1 - (start - now)
  else
    finishes[merchant] = start + orders
    starts[#starts + 1] = start
    total = total + orders
  end
end
-- One step of orders or less is not recorded while nothing waits: so an order on an idle system causes no write to disk here.
if ARGV[3] == '1' and next(finishes) and (first or total > step) then
  redis.call('ZADD', KEYS[1], now, 'now')
  for merchant, finish in pairs(finishes) do redis.call('ZADD', KEYS[1], finish, merchant) end
end
return starts`;

/** Orders of one merchant that are about to be enqueued. */
export interface Share {
  merchantId: string;
  /** The number of orders that each job counts as. */
  orders: number[];
}

/** The merchant has as many orders waiting as one merchant may have. Nothing was enqueued. */
export class TooManyWaiting extends Error {}

/** Assigns the priorities of the jobs of one queue. */
export interface FairPriorities {
  /**
   * Returns the priority of each job of each share, and counts their orders as waiting, but for a few while nothing waits.
   * The jobs must be added soon: while nothing waits, everything is forgotten. A share that exceeds the limit results in
   * `TooManyWaiting`.
   * @throws when Redis is unavailable
   */
  assign(shares: Share[]): Promise<(number[] | TooManyWaiting)[]>;
  /** The same for jobs that may be in the queue already: their orders are not counted again. */
  assignAgain(shares: Share[]): Promise<number[][]>;
}

/** Opens the priorities of a queue. `limit` is the most orders that a merchant may have waiting; 0 means no limit. */
export function openFairPriorities(redis: Redis, queue: Pick<Queue, 'toKey'>, limit = 0): FairPriorities {
  redis.defineCommand('startFairly', { numberOfKeys: 2, lua: script });
  const commands = redis as Redis & { startFairly(...args: (string | number)[]): Promise<number[]> };
  // No job has an id with a colon.
  const keys = [queue.toKey('fair:finish-times'), queue.toKey('prioritized')];
  const start = async (shares: Share[], count: 0 | 1) => {
    const pairs = shares.flatMap(({ merchantId, orders }) => [
      merchantId,
      orders.reduce((sum, ofJob) => sum + ofJob, 0),
    ]);
    const starts = await commands.startFairly(
      ...keys,
      ordersPerStep,
      lastPriority,
      count,
      count ? limit : 0,
      ...pairs,
    );
    return shares.map((share, index) => [share, starts[index] ?? 0] as const);
  };
  return {
    assign: async (shares) =>
      (await start(shares, 1)).map(([share, at]) =>
        at < 0
          ? new TooManyWaiting(`jobs that count as ${-1 - at} orders of the merchant wait to be stored`)
          : prioritiesOf(share, at),
      ),
    assignAgain: async (shares) => (await start(shares, 0)).map(([share, at]) => prioritiesOf(share, at)),
  };
}

/** The priorities of jobs whose first order starts at this virtual time: the steps that their finish times are in. */
function prioritiesOf({ orders }: Share, start: number): number[] {
  let finish = start;
  return orders.map((ofJob) => {
    finish += ofJob;
    return Math.min(lastPriority, 1 + Math.floor(finish / ordersPerStep));
  });
}
