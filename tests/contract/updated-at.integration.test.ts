import { buildOrder } from '@rewardhook/testing';
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
      timeline: { what: string; version?: number }[];
    };
  }
  const versions = (timeline: { what: string; version?: number }[], what: string) =>
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
    await flow.syncAndSettle(merchant, { ...order, updated_at: after });
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('that was sent without it since is not overwritten: a state without one has the time of its acceptance', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(5) });
    await flow.syncAndSettle(merchant, { ...order, returned_at: secondsAgo(1) });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(2) });
    expect((await explain(order.order_id)).decision.reason).toBe('returned');
  });
});
