import { buildOrder } from '@rewardhook/testing';
import { syncPath } from '../harness/call-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

describe('An order with updated_at', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });
  afterAll(() => flow.close());

  async function explain(orderId: string) {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return body.data as {
      version: number;
      decision: { reason: string };
      timeline: Entry[];
    };
  }
  type Entry = { what: string; version?: number; stored_time?: string; stored_time_of?: string };
  const dropped = async (orderId: string) =>
    (await explain(orderId)).timeline
      .filter(({ what }) => what === 'version_dropped')
      .map(({ stored_time, stored_time_of }) => [stored_time_of, Date.parse(String(stored_time))]);
  const versions = (timeline: Entry[], what: string) =>
    timeline.flatMap((entry) => (entry.what === what ? [entry.version] : []));

  it('that is cancelled stays cancelled when a paid state from before arrives later, and lists that state as dropped', async () => {
    const [before, then, after] = [secondsAgo(11), secondsAgo(10), secondsAgo(9)];
    const order = buildOrder({ member_id: 'bob', updated_at: then });
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: then });
    await flow.syncAndSettle(merchant, { ...order, updated_at: before });
    const { decision, timeline, version } = await explain(order.order_id);
    expect(decision.reason).toBe('cancelled');
    expect(versions(timeline, 'version_received')).toEqual([version]);
    expect(versions(timeline, 'version_dropped')).toEqual([expect.any(Number)]);
    expect(await dropped(order.order_id)).toEqual([['updated_at', Date.parse(String(order.updated_at))]]);
    await flow.syncAndSettle(merchant, { ...order, updated_at: after });
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('that was sent without it since is not overwritten: a state without one has the time of its acceptance', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(5) });
    await flow.syncAndSettle(merchant, { ...order, returned_at: secondsAgo(1) });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(2) });
    const { decision, version } = await explain(order.order_id);
    expect(decision.reason).toBe('returned');
    expect(await dropped(order.order_id)).toEqual([['acceptance', Math.floor(version / 1_000)]]);
  });

  it('without an offset is stored whatever it says, with a warning: a shop in Seoul that sends UTC keeps its cancellations', async () => {
    const inUtc = (seconds: number) => secondsAgo(seconds).replace('Z', '');
    const order = buildOrder({ member_id: 'bob', updated_at: secondsAgo(3_600) });
    await flow.syncAndSettle(merchant, order);
    const cancelled = { ...order, cancelled_at: secondsAgo(1), updated_at: inUtc(1) };
    const { status, body } = await flow.call(syncPath, { orders: [cancelled] }, { key: merchant.secretKey });
    expect([status, body]).toMatchObject([
      202,
      {
        warnings: {
          'orders[0].updated_at': 'must have a UTC offset such as +09:00 or Z; without one it is ignored',
        },
      },
    ]);
    await flow.queues.settled();
    expect((await explain(order.order_id)).decision.reason).toBe('cancelled');
  });

  it('with a wrong offset is stored or dropped by it, with a warning that names the other date', async () => {
    const placed = secondsAgo(3_600);
    const order = buildOrder({
      member_id: 'bob',
      order_date: placed,
      paid_at: placed,
      updated_at: secondsAgo(60),
    });
    await flow.syncAndSettle(merchant, order);
    const cancelled = { ...order, cancelled_at: secondsAgo(1), updated_at: secondsAgo(9 * 3_600) };
    const { body } = await flow.call(syncPath, { orders: [cancelled] }, { key: merchant.secretKey });
    expect(body).toMatchObject({
      warnings: {
        'orders[0].updated_at':
          'is more than 10 minutes before cancelled_at: its UTC offset is probably wrong',
      },
    });
    await flow.queues.settled();
    expect(await dropped(order.order_id)).toEqual([['updated_at', Date.parse(String(order.updated_at))]]);
  });
});
