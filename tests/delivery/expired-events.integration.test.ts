import { randomUUID } from 'node:crypto';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

describe('Expired events', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow();
  });
  afterAll(() => flow.close());

  it('are cancelled without being sent and do not delay the deliveries behind them', async () => {
    const merchant = await flow.openMerchant();
    const hook = await flow.receiver(merchant, 'reward.issue');
    const { id: endpointId } = await flow.database.endpoint.findFirstOrThrow({
      where: { merchantId: merchant.id },
    });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    // The state after an outage: a thousand expired events have waited longer than one that has not expired.
    const waits = Array.from({ length: 1_001 }, (_, n) => ({ eventId: `evt_${n}`, expired: n < 1_000 }));
    await flow.database.event.createMany({
      data: waits.map(({ eventId, expired }) => ({
        merchantId: merchant.id,
        id: eventId,
        type: 'reward.issue',
        body: JSON.stringify({ id: eventId }),
        createdAt: anHourAgo,
        ...(expired ? { expiresAt: anHourAgo } : {}),
      })),
    });
    await flow.database.delivery.createMany({
      data: waits.map(({ eventId, expired }) => ({
        id: randomUUID(),
        merchantId: merchant.id,
        eventId,
        eventCreatedAt: anHourAgo,
        endpointId,
        nextAttemptAt: expired ? anHourAgo : new Date(),
      })),
    });

    await hook.waitFor(({ rawBody }) => rawBody.includes('evt_1000'), 15_000);
    expect(hook.received).toHaveLength(1);
    expect(
      await flow.database.delivery.count({ where: { merchantId: merchant.id, state: 'cancelled' } }),
    ).toBe(1_000);
  });
});
