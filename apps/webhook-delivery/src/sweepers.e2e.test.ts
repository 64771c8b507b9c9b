import { randomUUID } from 'node:crypto';
import { waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { startWorkers } from '../../../tests/harness/start-workers.ts';

let flow: Flow;
/** Two workers of each stage. */
let workers: Awaited<ReturnType<typeof startWorkers>>[];
/** A delivery that was held without a reason before the workers started. */
let stray: string | undefined;
let merchant: Merchant;
let hook: Receiver;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  const early = await flow.openMerchant();
  await flow.receiver(early, 'reward.issue');
  [stray] = await addDelivered(early.id, 1);
  await flow.database.delivery.updateMany({ data: { state: 'held' } });
  workers = [await startWorkers(flow.environment), await startWorkers(flow.environment)];
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  hook = await flow.receiver(merchant, 'reward.issue');
});
afterAll(async () => {
  for (const running of workers) await running.close();
  await flow.close();
});

/** Delivered deliveries to all webhooks of a merchant, each of a different event, created one after the other. */
async function addDelivered(merchantId: string, count: number): Promise<string[]> {
  const endpoints = await flow.database.endpoint.findMany({ where: { merchantId } });
  const made = Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(Date.now() - 3_600_000 + index);
    return {
      id: randomUUID(),
      eventId: `evt_${randomUUID()}`,
      createdAt,
      endpointId: endpoints[0]?.id ?? '',
    };
  });
  await flow.database.event.createMany({
    data: made.map(({ eventId, createdAt }) => ({
      merchantId,
      id: eventId,
      type: 'reward.issue',
      body: JSON.stringify({ id: eventId }),
      createdAt,
    })),
  });
  await flow.database.delivery.createMany({
    data: made.map((one) => ({
      ...{ ...one, merchantId, eventCreatedAt: one.createdAt },
      ...{ state: 'delivered', nextAttemptAt: null },
    })),
  });
  return made.map(({ id }) => id);
}

const replay = (name: string, options: Record<string, string>, owner = merchant) =>
  flow.admin(`replay ${name}`, { merchant: owner.id, ...options });
const create = async (options: Record<string, string>, owner = merchant) => {
  const document = await replay('create', { states: 'delivered', from: '2026-01-01', ...options }, owner);
  return (document['replay'] as { id: string }).id;
};
const show = async (id: string, owner = merchant) =>
  (await replay('show', { replay: id }, owner)) as { state: string; done: number; total: number };
const until = (id: string, fits: (one: { state: string; done: number }) => boolean, owner = merchant) =>
  waitFor(async () => fits(await show(id, owner)), { what: 'the progress of the replay' });
const allDelivered = async () =>
  (await flow.database.delivery.count({
    where: { merchantId: merchant.id, state: { not: 'delivered' } },
  })) === 0;
const receivedIds = () => hook.received.map(({ deliveryId }) => String(deliveryId));

describe('The sweeper of replays', () => {
  it('sends at the rate of a replay, stops when it is paused, continues where it stopped, and ends when it is cancelled', async () => {
    const ids = await addDelivered(merchant.id, 20);
    // 4 a second, oldest first.
    const id = await create({ 'per-minute': '240' });
    await until(id, ({ done }) => done >= 4);
    expect((await replay('pause', { replay: id }))['state']).toBe('paused');
    const paused = await show(id);
    expect(paused.done).toBeLessThan(20);
    await expect(replay('pause', { replay: id })).rejects.toThrow('is paused');

    // Meanwhile the sweepers run the replay of another merchant.
    const other = await flow.openMerchant();
    await flow.receiver(other, 'reward.issue');
    await addDelivered(other.id, 8);
    const others = await create({ 'per-minute': '240' }, other);
    await until(others, ({ state }) => state === 'done', other);
    await waitFor(allDelivered);
    expect(await show(id)).toEqual(paused);
    expect(receivedIds().toSorted()).toEqual(ids.slice(0, paused.done).toSorted());

    await replay('resume', { replay: id });
    await until(id, ({ done }) => done > paused.done);
    await replay('cancel', { replay: id });
    const cancelled = await show(id);
    expect(cancelled).toMatchObject({ state: 'cancelled', total: 20 });
    await waitFor(allDelivered);
    expect(receivedIds().toSorted()).toEqual(ids.slice(0, cancelled.done).toSorted());
    expect(cancelled.done).toBeLessThan(20);
    expect(hook.received.every(({ verified }) => verified)).toBe(true);
  });

  it('shares one replay among workers and sends nothing twice', async () => {
    const ids = await addDelivered(merchant.id, 90);
    const id = await create({ 'per-minute': '2400' });
    await until(id, ({ state }) => state === 'done');
    await waitFor(allDelivered);
    expect(await show(id)).toMatchObject({ total: 90, done: 90, minutesLeft: 0 });
    expect(receivedIds().toSorted()).toEqual(ids.toSorted());
  });

  it('sends the same bytes under new ids when the replay asks for new ids', async () => {
    const ids = await addDelivered(merchant.id, 3);
    const id = await create({ 'per-minute': '60000', 'new-ids': 'true' });
    await until(id, ({ state }) => state === 'done');
    await waitFor(() => hook.received.length === 3);
    expect(receivedIds().some((sent) => ids.includes(sent))).toBe(false);
    const events = await flow.database.event.findMany({ where: { merchantId: merchant.id } });
    expect(hook.received.map(({ rawBody }) => rawBody.toString()).toSorted()).toEqual(
      events.map(({ body }) => body).toSorted(),
    );
  });
});

describe('The sweeper of stray deliveries', () => {
  it('releases deliveries that are held for an endpoint that is neither paused nor disabled', async () => {
    await waitFor(async () => {
      const delivery = await flow.database.delivery.findFirst({ where: { id: stray ?? '' } });
      return delivery?.state === 'delivered';
    });
  });
});
