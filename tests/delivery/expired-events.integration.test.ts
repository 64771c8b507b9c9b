import { randomUUID } from 'node:crypto';
import { startFlow } from '../harness/index.ts';
import type { Flow } from '../harness/index.ts';

describe('events that are not to be sent any more', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow();
  });
  afterAll(() => flow.close());

  it('are cancelled unsent, however many, and hold up none that waits behind them', async () => {
    const shop = await flow.openMerchant();
    const hook = await flow.receiver(shop, 'reward.issue');
    const { id: endpointId } = await flow.database.endpoint.findFirstOrThrow({
      where: { merchantId: shop.id },
    });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    // As after an outage: a thousand that expired meanwhile have waited longer than the one that has not.
    const waits = Array.from({ length: 1_001 }, (_, n) => ({ eventId: `evt_${n}`, expired: n < 1_000 }));
    await flow.database.event.createMany({
      data: waits.map(({ eventId, expired }) => ({
        merchantId: shop.id,
        id: eventId,
        type: 'reward.issue',
        body: JSON.stringify({ id: eventId }),
        ...(expired ? { expiresAt: anHourAgo } : {}),
      })),
    });
    await flow.database.delivery.createMany({
      data: waits.map(({ eventId, expired }) => ({
        id: randomUUID(),
        merchantId: shop.id,
        eventId,
        endpointId,
        nextAttemptAt: expired ? anHourAgo : new Date(),
      })),
    });

    await hook.waitFor(({ rawBody }) => rawBody.includes('evt_1000'), 15_000);
    expect(hook.received).toHaveLength(1);
    expect(await flow.database.delivery.count({ where: { merchantId: shop.id, state: 'cancelled' } })).toBe(
      1_000,
    );
  });
});
