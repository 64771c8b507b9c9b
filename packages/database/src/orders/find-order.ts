import { unpackChecks } from '@rewardhook/rewards';
import type { PackedCheck } from '@rewardhook/rewards';
import type { Database } from '../client/client.ts';
import { withNextAttempts } from '../deliveries/find-deliveries.ts';

/** Finds an order with its referral, decisions, rewards, events and deliveries; undefined when there is none. */
export async function findOrder(database: Database, merchantId: string, orderId: string) {
  const found = await database.order.findUnique({
    where: { merchantId_orderId: { merchantId, orderId } },
    include: {
      member: { select: { referral: true } },
      decisions: { orderBy: { number: 'asc' } },
      rewards: {
        // Those of an order are created together.
        orderBy: [{ createdAt: 'asc' }, { role: 'asc' }, { id: 'asc' }],
        include: { events: true },
      },
    },
  });
  if (!found) return undefined;
  const { member, decisions, rewards, ...order } = found;
  const due = await database.dueBatch.findMany({
    where: { merchantId, orderIds: { has: orderId } },
    select: { parkedAt: true, lastError: true, failures: true },
  });
  const events = rewards.flatMap((reward) => reward.events);
  const deliveries = await database.delivery.findMany({
    where: { merchantId, eventId: { in: events.map(({ id }) => id) } },
    omit: { retryAt: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return {
    order,
    referral: member?.referral ?? null,
    waitsForEvaluation: due.some(({ parkedAt }) => parkedAt === null),
    /** Its evaluation failed repeatedly and waits for an operator. */
    parked: due.filter(({ parkedAt }) => parkedAt !== null),
    decisions: decisions.map((decision) => ({
      ...decision,
      checks: unpackChecks(decision.checks as unknown as PackedCheck[]),
    })),
    rewards: rewards.map(({ events: _events, ...reward }) => reward),
    events: events.toSorted((one, other) => Number(one.sequence - other.sequence)),
    deliveries: await withNextAttempts(database, merchantId, deliveries),
  };
}
