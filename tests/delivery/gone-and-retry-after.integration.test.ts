import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

describe('A receiver', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  const deliveries = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
  const states = async () => (await deliveries()).map(({ state }) => state).sort();
  const endpoint = () => flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } });

  /** A referred friend's first order: one event for each side. */
  async function reward(friend: string): Promise<void> {
    await flow.link(merchant, 'ann', friend);
    await flow.sync(merchant, buildOrder({ member_id: friend }));
  }

  it('that answers 410 gets no more requests: deliveries are held, and sent when the webhook is enabled again', async () => {
    let status = 410;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward('bob');
    await waitFor(async () => (await states()).join() === 'held,held', { deadlineMs: 15_000 });
    expect(await endpoint()).toMatchObject({ disabledReason: { code: 'receiver_gone', parameters: {} } });
    await reward('carl');
    await waitFor(async () => (await states()).length === 4, { deadlineMs: 15_000 });
    expect(await states()).toEqual(['held', 'held', 'held', 'held']);

    status = 204;
    const before = hook.received.length;
    await flow.admin('webhook enable', { merchant: merchant.id, webhook: (await endpoint()).id });
    await waitFor(async () => (await states()).every((state) => state === 'delivered'), {
      deadlineMs: 15_000,
    });
    expect(hook.received.length - before).toBe(4);
    expect(hook.received.every(({ verified }) => verified)).toBe(true);
  });

  it('that answers with Retry-After gets no request for that time, for any delivery of the endpoint', async () => {
    let calls = 0;
    const server = createServer((request, response) => {
      calls += 1;
      request.resume();
      response.writeHead(503, { 'retry-after': '3600' }).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
    await reward('bob');
    await waitFor(async () => (await endpoint()).sendAfter !== null, { deadlineMs: 15_000 });
    const backoffMs = Number((await endpoint()).sendAfter) - Date.now();
    expect(backoffMs).toBeGreaterThan(3_500_000);
    expect(backoffMs).toBeLessThanOrEqual(3_600_000);

    await flow.queues.settled();
    const callsSoFar = calls;
    await reward('carl');
    await waitFor(async () => (await deliveries()).length === 4, { deadlineMs: 15_000 });
    const waiting = (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 0);
    expect(waiting.length).toBeGreaterThanOrEqual(2);
    expect(calls).toBe(callsSoFar);
    await new Promise((resolve) => server.close(resolve));
  });

  it('of a deleted webhook gets no more requests: deliveries that were due are cancelled', async () => {
    await flow.receiver(merchant, 'reward.issue', { respond: () => 500 });
    await reward('bob');
    await waitFor(async () => (await deliveries()).some(({ attemptsMade }) => attemptsMade > 0), {
      deadlineMs: 15_000,
    });
    await flow.admin('webhook delete', { merchant: merchant.id, webhook: (await endpoint()).id });
    expect(await states()).toEqual(['cancelled', 'cancelled']);
  });
});
