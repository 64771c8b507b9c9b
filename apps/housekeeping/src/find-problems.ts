import {
  countedWithinSeconds,
  countLateRewards,
  findBadTimeZones,
  findFaults,
  findProblems,
  findPromiseProblems,
  findUnreferredOrders,
  frequentKinds,
  promiseProblemKinds,
  readPromiseSums,
  recordProblems,
} from '@rewardhook/database/operations';
import type { FoundProblem, ProblemKind } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import { checkPipeline, readRefusedRequests } from '@rewardhook/pipeline';
import type { ExpectedProcess, Redis, TaskPlan } from '@rewardhook/pipeline';

/** The checks of the database together take at most this time, in milliseconds. */
const timeoutMs = 8_000;
/** How often checks run that read many rows. */
const hourMs = 3_600_000;
/** Refused requests of a merchant, with the same code in the last minutes, from which on they are a problem. */
const refusedAtLeast = 10;

/** What the finder reads. */
export interface ProblemSources {
  database: Sql;
  redis: Redis;
  prefix: string;
  expected: ExpectedProcess[];
}

/**
 * Returns the task that finds what is wrong for merchants and for the operator, and opens and closes problems. Once an hour it
 * also looks for what takes longer to find: rows that contradict each other, and orders without a referrer.
 */
export function openProblemFinder({ database, redis, prefix, expected }: ProblemSources): TaskPlan['run'] {
  let hourlyAt = 0;
  return async () => {
    const hourly = performance.now() >= hourlyAt;
    const promises = await readPromiseSums(database);
    // An older count says nothing about the problems that are read from it.
    const areCounted = promises.countedSeconds <= countedWithinSeconds;
    const [merchants, ofPromises, unreferred, refused, faults, late, timeZones, pipeline] = await Promise.all(
      [
        findProblems(database),
        areCounted ? findPromiseProblems(database) : [],
        hourly ? findUnreferredOrders(database) : [],
        readRefusedRequests(redis, prefix),
        findFaults(database, { full: false, timeoutMs, consistency: hourly }),
        countLateRewards(database, 'all'),
        findBadTimeZones(database),
        checkPipeline(redis, prefix, { secretsKeys: [], expected }),
      ],
    );
    const findings: Record<string, number> = {
      ...faults.counts,
      rewardsNotDelivered: late,
      promisesNotCounted: Number(!areCounted),
      timeZonesUnknown: timeZones.length,
      ...pipeline.faults,
    };
    const kinds: ProblemKind[] = [...frequentKinds, 'requests_refused'];
    if (areCounted) kinds.push(...promiseProblemKinds);
    if (hourly) kinds.push('orders_without_referrer');
    await recordProblems(
      database,
      [
        ...merchants,
        ...ofPromises,
        ...unreferred,
        ...refused.filter(({ number }) => number >= refusedAtLeast).map(toRefusedRequests),
        ...Object.entries(findings)
          .filter(([, number]) => number > 0)
          .map(
            ([subject, number]) =>
              ({ merchantId: '', kind: 'finding', subject, number, error: null }) as const,
          ),
      ],
      { kinds, findings: Object.keys(findings) },
    );
    if (hourly) hourlyAt = performance.now() + hourMs;
  };
}

function toRefusedRequests(refused: { merchantId: string; code: string; number: number }): FoundProblem {
  const { merchantId, code, number } = refused;
  return { merchantId, kind: 'requests_refused', subject: code, number, error: code };
}
