import { setTimeout } from 'node:timers/promises';
import { finishWipe, listLateWipes, listPendingWipes, wipeBatch } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import type { TaskPlan } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** How long the data of one merchant is deleted before that of the next: nobody waits for a merchant with much data. */
const sliceMs = 2_000;
/** How often late rows of former ids are looked for. */
const lateMs = 3_600_000;

/**
 * Returns the task that deletes the rows of the former ids of merchants, in short batches; after each it pauses for as long
 * as the batch took. The ids take turns, and an error at one of them does not affect the others. The signal ends a run after
 * the current batch; the next run continues. Once an hour it looks for rows that were stored under a former id since.
 */
export function openWiper({ database, log }: { database: Sql; log: Logger }): TaskPlan['run'] {
  const wipeSlice = async (formerId: string, signal: AbortSignal) => {
    const until = performance.now() + sliceMs;
    while (!signal.aborted && performance.now() < until) {
      const started = performance.now();
      if ((await wipeBatch(database, formerId)) === 0) {
        if (await finishWipe(database, formerId))
          log.info('the data of a side was deleted', { merchantId: formerId });
        return;
      }
      await setTimeout(performance.now() - started, undefined, { signal }).catch(() => undefined);
    }
  };
  /** The ids whose last try failed. Of consecutive failures only the first is logged. */
  const failing = new Set<string>();
  const tryWipe = async (formerId: string, signal: AbortSignal) => {
    try {
      await wipeSlice(formerId, signal);
      failing.delete(formerId);
    } catch (error) {
      if (!failing.has(formerId))
        log.warn('the data of a side could not be deleted and will be tried again', {
          merchantId: formerId,
          error,
        });
      failing.add(formerId);
    }
  };
  let lateAt = 0;
  return async (signal) => {
    for (const formerId of await listPendingWipes(database)) await tryWipe(formerId, signal);
    if (performance.now() < lateAt) return;
    lateAt = performance.now() + lateMs;
    for (const formerId of await listLateWipes(database)) await tryWipe(formerId, signal);
  };
}
