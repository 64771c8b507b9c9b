import { setTimeout } from 'node:timers/promises';
import { finishWipe, listPendingWipes, wipeBatch } from '@rewardhook/database/operations';
import type { PendingWipe } from '@rewardhook/database/operations';
import { findFreeVersion } from '@rewardhook/database/stages';
import type { Sql } from '@rewardhook/database/stages';
import { openVersions } from '@rewardhook/pipeline';
import type { Redis, TaskPlan } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** How long the data of one merchant is deleted before that of the next: nobody waits for a merchant with much data. */
const sliceMs = 2_000;
/** While a batch deletes more rows than this, another one follows before the last step. */
const fewRows = 1_000;

/**
 * Returns the task that deletes the data of test sides whose deletion was requested, in short batches; after each it pauses
 * for as long as the batch took. The merchants take turns, and an error at one of them does not affect the others. Any
 * number of processes may work on the same deletion. The signal ends a run after the current batch; the next run continues.
 */
export function openWiper({
  database,
  redis,
  prefix,
  log,
}: {
  database: Sql;
  redis: Redis;
  prefix: string;
  log: Logger;
}): TaskPlan['run'] {
  const versions = openVersions(redis, {
    prefix,
    findFreeVersion: () => findFreeVersion(database),
    onUnconfirmed: (error) =>
      log.warn('Redis was restarted, and its last version cannot be compared with the stored orders', {
        error,
      }),
  });
  const wipeSlice = async (pending: PendingWipe, signal: AbortSignal) => {
    const { merchantId } = pending;
    const until = performance.now() + sliceMs;
    while (!signal.aborted && performance.now() < until) {
      const started = performance.now();
      const deleted = await wipeBatch(database, merchantId);
      // Orders that were accepted before this version are not stored after the last step.
      if (deleted < fewRows && (await finishWipe(database, pending, await versions.next()))) {
        log.info('the data of a test side was deleted', { merchantId, requestedAt: pending.requestedAt });
        return;
      }
      await setTimeout(performance.now() - started, undefined, { signal }).catch(() => undefined);
    }
  };
  /** The merchants whose last try failed. Of consecutive failures only the first is logged. */
  const failing = new Set<string>();
  const tryWipe = async (pending: PendingWipe, signal: AbortSignal) => {
    const { merchantId } = pending;
    try {
      await wipeSlice(pending, signal);
      failing.delete(merchantId);
    } catch (error) {
      if (!failing.has(merchantId))
        log.warn('the data of a test side could not be deleted and will be tried again', {
          merchantId,
          error,
        });
      failing.add(merchantId);
    }
  };
  return async (signal) => {
    for (const pending of await listPendingWipes(database)) await tryWipe(pending, signal);
  };
}
