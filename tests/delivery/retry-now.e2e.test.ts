import { buildOrder, scaled, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { openConsole } from '../../apps/console/testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../apps/console/testing/open-console.ts';
import type {
  DeliveryListRow,
  DeliveryView,
  OrderResponse,
  Page,
  WebhookView,
} from '../../apps/console/src/api-types.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

jest.setTimeout(60_000);

describe('While the circuit breaker of a webhook is open', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let hook: Receiver;
  let status: number;
  let orderId: string;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  const merchantId = () => owner.merchant.id;
  const endpoint = () => flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchantId() } });
  const webhook = async () =>
    (await owner.browser.get(`/webhooks/${(await endpoint()).id}`)).data as WebhookView;
  const waiting = async () =>
    ((await owner.browser.get('/deliveries?limit=200')).data as Page<DeliveryListRow>).items.filter(
      ({ state }) => state === 'pending',
    );
  const show = async (id: string) => (await owner.browser.get(`/deliveries/${id}`)).data as DeliveryView;
  const retry = async (id: string) =>
    (await owner.browser.post(`/deliveries/${id}/retry`)).data as DeliveryView;
  const allDelivered = () => waitFor(async () => (await waiting()).length === 0, { deadlineMs: 20_000 });

  /** Lets the receiver fail, makes ten deliveries, and waits until the breaker is open for the next nine minutes. */
  beforeEach(async () => {
    status = 500;
    owner = await running.signUp();
    hook = await flow.receiver(owner.merchant, 'reward.issue', { respond: () => status });
    for (const friend of ['bob', 'carl', 'dora', 'eve', 'fay'])
      await flow.link(owner.merchant, 'ann', friend);
    const orders = ['bob', 'carl', 'dora', 'eve', 'fay'].map((id) => buildOrder({ member_id: id }));
    orderId = orders[0]?.order_id ?? '';
    await flow.sync(owner.merchant, ...orders);
    await waitFor(
      async () => (await endpoint()).breakerOpenedAt !== null && (await waiting()).length === 10,
      { deadlineMs: 25_000, what: 'the open breaker' },
    );
    await flow.queues.settled();
    const own = { where: { merchantId: merchantId() } };
    await flow.database.endpoint.updateMany({ ...own, data: { sendAfter: new Date(Date.now() + 540_000) } });
    await flow.database.delivery.updateMany({ ...own, data: { nextAttemptAt: new Date() } });
  });

  it('a manual retry is sent at once, and its success closes the breaker and sends the rest', async () => {
    const [{ id } = { id: '' }] = await waiting();
    status = 204;
    const clickedAt = Date.now();
    const answer = await retry(id);
    expect(answer).toMatchObject({ next_attempt_reason: 'due_now' });
    expect(Date.parse(String(answer.next_attempt_at))).toBeLessThanOrEqual(Date.now() + 1_000);
    const sent = await hook.waitFor(
      ({ deliveryId, receivedAt }) => deliveryId === id && Number(receivedAt) >= clickedAt,
    );
    expect(Number(sent.receivedAt) - clickedAt).toBeLessThan(scaled(2_000));
    await allDelivered();
    expect(await webhook()).toMatchObject({ status: 'active', breaker: null, waiting: 0 });
  });

  it('a manual retry by the operator is sent at once too', async () => {
    const [{ id } = { id: '' }] = await waiting();
    status = 204;
    const answer = await flow.admin('delivery retry', { merchant: merchantId(), delivery: id });
    expect(answer).toMatchObject({ deliveryId: id, due: true, nextAttemptAt: expect.any(Date) });
    const calledAt = Date.now();
    const sent = await hook.waitFor(
      ({ deliveryId, receivedAt }) => deliveryId === id && Number(receivedAt) >= calledAt - 50,
    );
    expect(Number(sent.receivedAt) - calledAt).toBeLessThan(scaled(2_000));
    await allDelivered();
  });

  it('concurrent manual retries reach a failing receiver one a second and leave the schedule of probes unchanged', async () => {
    const before = await endpoint();
    const calls = hook.received.length;
    const items = await waiting();
    const startedAt = Date.now();
    const answers = await Promise.all(items.map(({ id }) => retry(id)));
    const times = answers
      .map((one) => Date.parse(String(one.next_attempt_at)))
      .toSorted((one, other) => one - other);
    // The last of ten retries is scheduled after the nine others.
    expect(times.at(-1)).toBeGreaterThan(startedAt + 8_500);
    expect(
      answers.filter(({ next_attempt_reason: why }) => why === 'requested').length,
    ).toBeGreaterThanOrEqual(8);
    await waitFor(() => hook.received.length >= calls + 3, { deadlineMs: 10_000, everyMs: 20 });
    const seconds = (Date.now() - startedAt) / 1_000;
    expect(hook.received.length - calls).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    expect(await endpoint()).toMatchObject({
      probesFailed: before.probesFailed,
      sendAfter: before.sendAfter,
      breakerOpenedAt: before.breakerOpenedAt,
    });
  });

  it('a replay waits with all other deliveries', async () => {
    const { id } = await endpoint();
    await flow.database.delivery.updateMany({
      where: { merchantId: merchantId() },
      data: { state: 'exhausted', nextAttemptAt: null },
    });
    const calls = hook.received.length;
    const range = { states: ['exhausted'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
    const asked = { ...range, new_ids: false, per_minute: 60_000 };
    expect((await owner.browser.post(`/webhooks/${id}/replays`, asked)).status).toBe(201);
    await waitFor(async () => (await waiting()).length === 10);
    await flow.queues.settled();
    expect(hook.received.length).toBe(calls);
  });

  it('a successful test event from the console or the command line closes the breaker', async () => {
    const { id } = await endpoint();
    expect((await owner.browser.post(`/webhooks/${id}/test`, {})).status).toBe(200);
    expect(await webhook()).toMatchObject({ status: 'failing' });
    status = 204;
    expect((await owner.browser.post(`/webhooks/${id}/test`, {})).status).toBe(200);
    expect(await webhook()).toMatchObject({ status: 'active', breaker: null });
    await allDelivered();

    await flow.database.endpoint.updateMany({
      where: { id },
      data: { breakerOpenedAt: new Date(), failuresInARow: 9, sendAfter: new Date(Date.now() + 540_000) },
    });
    await flow.admin('webhook test', { merchant: merchantId(), webhook: id });
    expect(await webhook()).toMatchObject({ status: 'active', breaker: null });
  });

  it('console, order, list and command line show the same next attempt, which is not in the past', async () => {
    const { id: endpointId, sendAfter } = await endpoint();
    const due = sendAfter?.toISOString() ?? '';
    const [item] = await waiting();
    const shown = async () => {
      const { explanation } = (await owner.browser.get(`/orders/${orderId}`)).data as OrderResponse;
      const order = (await flow.admin('order show', { merchant: merchantId(), order: orderId })) as {
        deliveries: { id: string; nextAttemptAt: Date | null }[];
      };
      const search = (await owner.browser.get(`/deliveries?search=${orderId}`)).data as Page<DeliveryListRow>;
      const id = search.items[0]?.id ?? '';
      const list = (await flow.admin('delivery list', { merchant: merchantId() })) as {
        deliveries: { id: string; nextAttemptAt: Date | null }[];
      };
      const one = (await flow.admin('delivery show', { merchant: merchantId(), delivery: id })) as {
        nextAttemptAt: Date | null;
      };
      return [
        search.items[0]?.next_attempt_at ?? null,
        (await show(id)).next_attempt_at,
        (explanation.timeline.find(({ what, delivery_id: of }) => what === 'delivery' && of === id)?.[
          'next_attempt_at'
        ] as string) ?? null,
        order.deliveries.find((delivery) => delivery.id === id)?.nextAttemptAt ?? null,
        list.deliveries.find((delivery) => delivery.id === id)?.nextAttemptAt ?? null,
        one.nextAttemptAt,
      ].map((at) => (at === null ? null : new Date(at).toISOString()));
    };
    expect(new Set(await shown())).toEqual(new Set([due]));
    expect(new Date(String((await webhook()).breaker?.next_probe_at)).toISOString()).toBe(due);
    expect(await show(item?.id ?? '')).toMatchObject({ next_attempt_reason: 'breaker' });

    // A delivery that has been due for a minute and was not sent is due now.
    await flow.database.endpoint.updateMany({
      where: { id: endpointId },
      data: { sendAfter: new Date(Date.now() + 540_000), breakerOpenedAt: null, rampPerSecond: 10 },
    });
    expect(await show(item?.id ?? '')).toMatchObject({ next_attempt_reason: 'half_open' });
    await owner.browser.post(`/webhooks/${endpointId}/pause`);
    expect(new Set(await shown())).toEqual(new Set([null]));
  });
});
