import { setTimeout } from 'node:timers/promises';
import type { Service } from './open-service.ts';

/** What `doctor` says about work that waits. */
interface Waiting {
  promises: { stored: { requests: number } };
  backlog: { evaluationsDue: number; deliveriesPending: number };
}

/** When faults end, all work is done within this time, in milliseconds. */
const limitMs = 60_000;

/** A housekeeping process that was killed counts the promises again after some seconds, in milliseconds. */
const countedAgainMs = 45_000;

/** Between two commands, of which each takes some seconds of processor time, in milliseconds. */
const pauseMs = 1_000;

/** Waits until nothing waits to be stored, evaluated or delivered, and writes down how long that took, and what doctor finds then. */
export async function drain({ ledger, tryAdmin, stack }: Service): Promise<void> {
  const start = performance.now();
  await stack.waitUntilReady(limitMs);
  let isDrained = false;
  for (let end = Number.POSITIVE_INFINITY; ; await setTimeout(pauseMs)) {
    // All rows, and without the limit of four seconds, within which a busy machine does not complete the checks.
    const { ok, document } = await tryAdmin('doctor', '--full', 'true');
    if (!isDrained) {
      const open = document === undefined ? 'doctor did not answer' : describe(document as Waiting);
      const afterMs = Math.round(performance.now() - start);
      if (open !== '' && afterMs <= limitMs) continue;
      isDrained = true;
      ledger.write({ kind: 'drained', afterMs: open === '' ? afterMs : null, open });
      end = performance.now() + countedAgainMs;
    }
    if (ok || performance.now() > end) {
      ledger.write({ kind: 'observed', shop: null, what: 'doctor', rows: [document] });
      return;
    }
  }
}

function describe({ promises, backlog }: Waiting): string {
  const open = [
    [promises.stored.requests, 'requests to be stored'],
    [backlog.evaluationsDue, 'orders to be evaluated'],
    [backlog.deliveriesPending, 'deliveries to be sent'],
  ].filter(([number]) => number !== 0);
  return open.map(([number, what]) => `${number} ${what}`).join(', ');
}
