import { runAdmin } from '@rewardhook/local-stack';
import type { ChaosEnvironment } from '../environment/open-environment.ts';
import { checkDeliveries } from './check-deliveries.ts';
import type { DeliveryCounts } from './check-deliveries.ts';
import { checkOrders } from './check-orders.ts';
import { checkRewards } from './check-rewards.ts';
import { fewOf } from './compare.ts';

/** What the checks came to: nothing in `problems` is good. */
export interface Findings {
  problems: string[];
  deliveries: DeliveryCounts;
}

/** All final checks. The load has to be stopped, and everything quiet. */
export async function checkEverything({ stack, shops, selfEnded }: ChaosEnvironment): Promise<Findings> {
  const deliveries: DeliveryCounts = { received: 0, distinct: 0, revocations: 0 };
  const problems: string[] = [...fewOf(selfEnded)];
  for (const shop of shops) {
    problems.push(...(await checkOrders(stack.databaseUrl, shop)));
    problems.push(...(await checkRewards(stack.databaseUrl, shop)));
    problems.push(...(await checkDeliveries(stack.databaseUrl, shop, deliveries)));
  }
  const doctor = await runAdmin(stack.environment, ['doctor']);
  const { redis } = (doctor.document ?? {}) as { redis?: { unknown: string[] } };
  if (!doctor.ok || redis?.unknown.length !== 0)
    problems.push(`doctor: ${JSON.stringify(doctor.document)} ${doctor.stderr}`);
  return { problems, deliveries };
}
