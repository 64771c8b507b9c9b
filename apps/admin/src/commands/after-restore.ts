import { parseDateTime } from '@rewardhook/contract';
import { findFreeVersion } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import {
  countUnknownBatches,
  countUnknownEndpoints,
  describeRestoredData,
  findFaults,
  findVersionCeiling,
  listUnknownMerchants,
} from '@rewardhook/database/operations';
import type { RestoredData } from '@rewardhook/database/operations';
import { findLastVersion, listJobReferences, openVersions } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { UsageError } from '../command.ts';
import type { AdminContext, CommandResult } from '../command.ts';

/** Faults that a restore could cause. Work that is overdue is no fault: it waited while the processes were stopped. */
const consistencyFaults = [
  'deliveriesWithoutNextAttempt',
  'deliveriesOrphaned',
  'eventsOutOfOrder',
  'rewardsDoubled',
  'rewardsNotNotified',
  'timesOutOfOrder',
] as const;

/** Jobs that are examined of each queue. */
const maxJobs = 10_000;

/** Reads `--after-restore`: true, or the moment that was restored. @throws UsageError */
export function readRestoredTo(text: string): Date | null {
  if (text === 'true') return null;
  const time = parseDateTime(text);
  if (!(time instanceof Date))
    throw new UsageError(
      '--after-restore must be true, or the restored moment, such as 2026-11-22T03:00:00Z.',
    );
  return time;
}

/**
 * Examines the system after PostgreSQL, Redis or both were restored: what is missing, what is sent again, and whether the
 * data is consistent. Versions of orders are raised above the stored ones. `restoredTo` is null when the operator does not
 * know it. Then it is the commit time of the last transaction that PostgreSQL has recovered; without a recovery, the time
 * of the newest stored order, which is right only if no order was stored since the restore.
 */
export async function examineAfterRestore(
  { database, queuePrefix, redis }: AdminContext,
  { restoredTo, full, timeoutMs }: { restoredTo: Date | null; full: boolean; timeoutMs: number },
): Promise<CommandResult> {
  const connection = await redis();
  const [data, { counts, unfinished }, jobs, versions] = await Promise.all([
    describeRestoredData(database, restoredTo),
    findFaults(database, { full, timeoutMs }),
    examineJobs(database, connection, queuePrefix),
    raiseVersions(database, connection, queuePrefix),
  ]);
  const faults = Object.fromEntries(consistencyFaults.map((name) => [name, counts[name]]));
  const consistent = unfinished.length === 0 && Object.values(faults).every((count) => count === 0);
  const missingSince = restoredTo ?? data.restoredTo ?? data.newestOrderAt;
  return {
    document: {
      consistent,
      missingSince,
      steps: describeSteps(missingSince, data, jobs.requests),
      faults,
      checksUnfinished: unfinished,
      ...data,
      jobs,
      versions,
    },
    ok: consistent,
  };
}

/** What the unfinished jobs in Redis refer to, and how much of it does not exist. */
async function examineJobs(database: Database, redis: Redis, prefix: string) {
  const { requests, batches, endpoints, more } = await listJobReferences(redis, prefix, maxJobs);
  const unknownMerchants = await listUnknownMerchants(database, [...requests.keys()]);
  return {
    /** Accepted requests that are not stored yet. */
    requests: [...requests.values()].reduce((sum, count) => sum + count, 0),
    requestsOfUnknownMerchants: unknownMerchants.reduce((sum, id) => sum + (requests.get(id) ?? 0), 0),
    unknownMerchants,
    unknownBatches: await countUnknownBatches(database, batches),
    unknownEndpoints: await countUnknownEndpoints(database, endpoints),
    /** Whether there are more jobs than were examined. */
    more,
  };
}

/** Assigns one version, which raises the last one if Redis was restarted or lost it. */
async function raiseVersions(database: Database, redis: Redis, prefix: string) {
  const before = await findLastVersion(redis, prefix);
  const ceiling = await findVersionCeiling(database);
  const versions = openVersions(redis, {
    prefix,
    findFreeVersion: () => findFreeVersion(database),
    onUnconfirmed(error) {
      throw error;
    },
  });
  const next = await versions.next();
  return { lastInRedis: before, ceiling: ceiling?.version ?? null, next };
}

/** What the operator must do, and what merchants must know, in order. */
function describeSteps(missingSince: Date | null, data: RestoredData, requests: number): string[] {
  if (!missingSince) return ['No order is stored. Ask merchants to send their orders.'];
  const moment = missingSince.toISOString();
  return [
    `Repeat the erasures of members (member erase) and the revocations of keys from after ${moment} first: they are undone.`,
    `Ask merchants to send every order again that changed after ${moment}, and to link the members again that their servers linked. ` +
      `${requests} accepted requests are still queued and are stored by themselves. Rewards and events get the ids that they had.`,
    `${data.deliveriesPending} deliveries are pending. Those that were delivered after ${moment} are sent again, with the same ids and bytes.`,
    `Readers of the event feed (${data.feedReaders} merchants) whose cursor is newer than the data get cursor_expired, and read again.`,
    `Everything else that was changed after ${moment} is as it was then: users, keys, webhooks, programs, links, ` +
      `reviews, replays (${data.replaysRunning} are running).`,
  ];
}
