import { runAdmin, waitFor } from '@rewardhook/local-stack';
import type { AdminResult, Stack } from '@rewardhook/local-stack';
import type { Merchant } from '../open-merchant.ts';
import { checkDeliveries } from './check-deliveries.ts';
import type { DeliveryCounts } from './check-deliveries.ts';
import { checkOrders } from './check-orders.ts';
import { checkRewards } from './check-rewards.ts';
import { firstFew } from './compare.ts';

/** The results of the checks. A run passes when `problems` is empty. */
export interface Findings {
  problems: string[];
  deliveries: DeliveryCounts;
}

/** Runs all final checks. The load must be stopped and all work done. */
export async function checkEverything({
  stack,
  merchants,
  unexpectedExits,
}: {
  stack: Stack;
  merchants: Merchant[];
  /** Processes that ended by themselves. Each is a problem. */
  unexpectedExits: string[];
}): Promise<Findings> {
  const deliveries: DeliveryCounts = { distinct: 0 };
  const problems: string[] = [...firstFew(unexpectedExits)];
  for (const merchant of merchants) {
    problems.push(...(await checkOrders(stack.databaseUrl, merchant)));
    problems.push(...(await checkRewards(stack.databaseUrl, merchant)));
    problems.push(...(await checkDeliveries(stack.databaseUrl, merchant, deliveries)));
  }
  // A housekeeping process that was started again counts the promises after some seconds.
  let doctor: AdminResult | undefined;
  await waitFor(async () => (doctor = await runAdmin(stack.environment, ['doctor'])).ok, {
    deadlineMs: 45_000,
    everyMs: 2_000,
    what: 'a clean doctor',
  }).catch(() => undefined);
  const { redis } = (doctor?.document ?? {}) as { redis?: { unknown: string[] } };
  if (!doctor?.ok || redis?.unknown.length !== 0)
    problems.push(`doctor: ${JSON.stringify(doctor?.document)} ${doctor?.stderr}`);
  return { problems, deliveries };
}
