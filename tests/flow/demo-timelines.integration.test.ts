import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { ageOrders } from '@rewardhook/testing/servers';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

interface Entry {
  at: string;
  what: string;
  [detail: string]: unknown;
}

describe('A demo order that was moved into the past', () => {
  let flow: Flow;
  let shop: Merchant;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const returnedAt = daysAgo(15);
  const placed = [20, 12, 3].map((days, index) =>
    buildOrder({
      order_id: `B-${index}`,
      member_id: index === 1 ? 'walk-in' : 'bob',
      order_date: daysAgo(days),
      paid_at: daysAgo(days - 0.1),
    }),
  );

  beforeAll(async () => {
    flow = await startFlow();
    shop = await flow.openMerchant();
    await publishProgram(flow.database, shop.id, { ...defaultRule, earlierOrders: 'count' });
    await flow.receiver(shop, 'reward.issue,reward.revoke');
    await flow.link(shop, 'ann', 'bob');
    await flow.syncAndSettle(shop, ...placed);
    await flow.syncAndSettle(shop, { ...placed[0], returned_at: returnedAt });
    await ageOrders(flow.environment.databaseUrl, shop.id);
  });
  afterAll(() => flow.close());

  const timelineOf = async (orderId: string): Promise<Entry[]> => {
    const { timeline } = await flow.admin('order explain', { merchant: shop.id, order: orderId });
    return timeline as Entry[];
  };

  it.each(['B-0', 'B-1', 'B-2'])('has a timeline in chronological order: %s', async (orderId) => {
    const timeline = await timelineOf(orderId);
    const indexOf = (what: string, details: Record<string, unknown> = {}) =>
      timeline.findIndex(
        (entry) =>
          entry.what === what && Object.entries(details).every(([name, value]) => entry[name] === value),
      );
    // Each entry follows its cause.
    const causes: Record<string, (entry: Entry) => number[]> = {
      evaluated: (entry) => [
        indexOf('member_linked'),
        indexOf('version_received', { version: entry['order_version'] }),
      ],
      reward_given: () => [indexOf('evaluated')],
      reward_confirmed: ({ reward_id }) => [indexOf('reward_given', { reward_id })],
      reward_revoked: ({ reward_id }) => [indexOf('reward_confirmed', { reward_id })],
      event: ({ reward_id, type }) => [
        indexOf(type === 'reward.issue' ? 'reward_confirmed' : 'reward_revoked', { reward_id }),
      ],
      delivery: ({ event_id }) => [indexOf('event', { event_id })],
      attempt: ({ delivery_id }) => [indexOf('delivery', { delivery_id })],
    };
    for (const [index, entry] of timeline.entries())
      for (const cause of causes[entry.what]?.(entry) ?? [])
        expect({ entry, cause: timeline[cause], inOrder: cause >= 0 && cause < index }).toMatchObject({
          inOrder: true,
        });
    const received = timeline.find(({ what }) => what === 'version_received')?.at ?? '';
    const order = placed.find(({ order_id }) => order_id === orderId);
    expect(Math.abs(Date.parse(received) - Date.parse(order?.paid_at ?? ''))).toBeLessThan(60_000);
  });

  it('was returned at the time of its return, and its reward was revoked then', async () => {
    const timeline = await timelineOf('B-0');
    const [paid, returned] = [placed[0]?.paid_at, returnedAt].map((at) => Date.parse(at ?? ''));
    const near = (at: string) =>
      [paid, returned].findIndex((time) => Math.abs(Date.parse(at) - (time ?? 0)) < 60_000);
    const when = (what: string) =>
      timeline.filter((entry) => entry.what === what).map(({ at }) => ['paid', 'returned'][near(at)]);
    expect(when('version_received')).toEqual(['paid', 'returned']);
    expect(when('reward_confirmed')).toEqual(['paid', 'paid']);
    expect(when('reward_revoked')).toEqual(['returned', 'returned']);
    expect(when('attempt')).toEqual(['paid', 'paid', 'returned', 'returned']);
  });

  it('is named by its deliveries, with the type of their event', async () => {
    const { id } = await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: shop.id } });
    const path = `/api/open/webhooks/${id}/deliveries/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: shop.secretKey });
    const deliveries = body.data['deliveries'] as { event_type: string | null; order_id: string | null }[];
    expect(deliveries.map(({ event_type, order_id }) => `${event_type} ${order_id}`).toSorted()).toEqual(
      ['reward.issue B-0', 'reward.issue B-2', 'reward.revoke B-0'].flatMap((one) => [one, one]),
    );
  });

  it('leaves a database in which doctor finds no problem, and accepts a newer version', async () => {
    await flow.database
      .$executeRaw`UPDATE orders SET updated_at = least(updated_at, now() - interval '1 hour')`;
    const { faults } = await flow.admin('doctor', {});
    expect(faults).toMatchObject({ ordersNotEvaluated: 0, eventsOutOfOrder: 0, timesOutOfOrder: 0 });
    await flow.syncAndSettle(shop, { ...placed[2], cancelled_at: daysAgo(0) });
    expect((await timelineOf('B-2')).filter(({ what }) => what === 'reward_revoked')).toHaveLength(2);
  });
});
