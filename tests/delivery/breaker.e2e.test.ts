import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

jest.setTimeout(60_000);

describe('An endpoint that keeps failing', () => {
  let flow: Flow;
  let merchant: Merchant;
  let status: number;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    status = 500;
  });
  afterAll(() => flow.close());

  // A lost job is replaced by a sweeper after 15 seconds.
  const deadline = { deadlineMs: 25_000 };
  const deliveries = () =>
    flow.database.delivery.findMany({ where: { merchantId: merchant.id }, orderBy: { createdAt: 'asc' } });
  const endpoint = () =>
    flow.database.endpoint.findFirstOrThrow({
      where: { merchantId: merchant.id },
      orderBy: { createdAt: 'asc' },
    });
  const isOpen = async () => (await endpoint()).breakerOpenedAt !== null;
  /** Makes the next probe due now. */
  const makeProbeDue = () =>
    flow.database.endpoint.updateMany({
      where: { merchantId: merchant.id },
      data: { sendAfter: new Date() },
    });

  /** First orders of the given number of referred friends: two events for each. */
  async function reward(friends: number): Promise<void> {
    const ids = Array.from({ length: friends }, (_, index) => `friend${index}`);
    for (const id of ids) await flow.link(merchant, 'ann', id);
    await flow.sync(merchant, ...ids.map((id) => buildOrder({ order_id: `of-${id}`, member_id: id })));
    await waitFor(
      async () => (await flow.database.event.count({ where: { merchantId: merchant.id } })) === friends * 2,
      deadline,
    );
  }

  it('gets single probes only: its deliveries wait without jobs, and no retry is used up', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward(20);
    await waitFor(isOpen, deadline);
    await flow.queues.settled();
    const calls = hook.received.length;
    expect(calls).toBeLessThan(20);
    const untouched = (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 0);
    expect(untouched.length).toBe(40 - calls);
    expect(new Set(untouched.map(({ state }) => state))).toEqual(new Set(['pending']));

    // A probe: one request, and no retry used up.
    const stepsBefore = (await deliveries()).reduce((sum, one) => sum + one.scheduleStep, 0);
    await makeProbeDue();
    await waitFor(async () => (await endpoint()).probesFailed === 1, deadline);
    expect(hook.received.length).toBe(calls + 1);
    expect((await deliveries()).reduce((sum, one) => sum + one.scheduleStep, 0)).toBe(stepsBefore);
    expect(Number((await endpoint()).sendAfter) - Date.now()).toBeGreaterThan(25_000);
  });

  it('gets all its deliveries, longest waiting first and at a growing rate, once a probe succeeds', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward(30);
    await waitFor(isOpen, deadline);
    const calls = hook.received.length;
    status = 200;
    await makeProbeDue();
    const untried = (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 0).map(({ id }) => id);
    await waitFor(async () => hook.received.length >= calls + untried.length, { deadlineMs: 20_000 });
    const seconds = hook.received.slice(calls).map(({ receivedAt }) => receivedAt.getTime());
    // The first portions are of 10 and of 20: it takes more than a second to send forty.
    expect(Math.max(...seconds) - Math.min(...seconds)).toBeGreaterThan(1_000);
    expect(await endpoint()).toMatchObject({ breakerOpenedAt: null, failuresInARow: 0, failingSince: null });
    await waitFor(
      async () =>
        (await deliveries()).filter(({ id, state }) => untried.includes(id) && state === 'delivered')
          .length === untried.length,
      deadline,
    );
  });

  it('does not delay another endpoint of the same merchant, which is notified if it registered for that', async () => {
    await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    const notified = await flow.receiver(merchant, 'endpoint.failing');
    const healthy = await flow.receiver(merchant, 'reward.issue', { respond: () => 200 });
    await reward(20);
    await waitFor(async () => healthy.received.length === 40, deadline);
    const { rawBody, verified } = await notified.waitFor(({ event }) => event === 'endpoint.failing', 15_000);
    expect(verified).toBe(true);
    expect(JSON.parse(rawBody.toString())).toMatchObject({
      type: 'endpoint.failing',
      data: { endpoint: { id: (await endpoint()).id }, reason: 'it answered 500' },
    });
  });

  it('is disabled after failing for five days, with its deliveries held, and starts with a clean state when it is enabled', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward(1);
    await waitFor(async () => (await endpoint()).failuresInARow >= 2, deadline);
    const fiveDaysAgo = new Date(Date.now() - 5 * 86_400_000);
    await flow.database.endpoint.updateMany({
      where: { merchantId: merchant.id },
      data: { failingSince: fiveDaysAgo },
    });
    await waitFor(async () => (await endpoint()).disabledAt !== null, deadline);
    expect(await endpoint()).toMatchObject({
      disabledReason: { code: 'failing_with_status', parameters: { status: 500 } },
    });
    expect((await deliveries()).map(({ state }) => state)).toEqual(['held', 'held']);

    status = 204;
    const calls = hook.received.length;
    await flow.admin('webhook enable', { merchant: merchant.id, webhook: (await endpoint()).id });
    await waitFor(async () => (await deliveries()).every(({ state }) => state === 'delivered'), deadline);
    expect(hook.received.length).toBe(calls + 2);
    expect(await endpoint()).toMatchObject({ failuresInARow: 0, failingSince: null, inFlightLimit: 4 });
  });
});
