import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const where = () => ({ where: { merchantId: merchant.id } });
const endpoint = () => flow.database.endpoint.findFirstOrThrow(where());
const deliveries = () => flow.database.delivery.findMany({ ...where(), orderBy: { createdAt: 'asc' } });
const states = async () => (await deliveries()).map(({ state }) => state);
const run = async (name: string, options: Record<string, string> = {}) =>
  flow.admin(name, { merchant: merchant.id, webhook: (await endpoint()).id, ...options });

/** The first order of a referred member: one event for each side. */
async function reward(friend: string): Promise<void> {
  await flow.link(merchant, 'ann', friend);
  await flow.sync(merchant, buildOrder({ member_id: friend }));
}

describe('webhook test', () => {
  it('sends a signed ping immediately, shows the response, and stores the delivery with its attempt', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    const sent = await run('webhook test');
    const [ping] = hook.received;
    expect(hook.received).toHaveLength(1);
    expect(ping).toMatchObject({ event: 'webhook.ping', verified: true, deliveryId: sent['deliveryId'] });
    expect(ping?.rawBody.toString()).toBe(sent['body']);
    expect(sent).toMatchObject({ delivered: true, eventType: 'webhook.ping', outcome: { status: 204 } });
    expect(JSON.stringify(sent)).not.toContain(merchant.signingSecret);

    const shown = await flow.admin('delivery show', {
      merchant: merchant.id,
      delivery: String(sent['deliveryId']),
    });
    expect(shown).toMatchObject({
      state: 'delivered',
      attemptsMade: 1,
      nextAttemptAt: null,
      event: { type: 'webhook.ping', body: sent['body'] },
      attempts: [{ number: 1, status: 204, errorClass: null, requestHeaders: sent['requestHeaders'] }],
    });
    const { requestHeaders, timings } = (shown['attempts'] as Record<string, object>[])[0] as Record<
      string,
      object
    >;
    const asKept = Object.entries(requestHeaders as object).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect({ connection: 'keep-alive', ...Object.fromEntries(asKept) }).toEqual(ping?.headers);
    expect(timings).toMatchObject({ totalMs: expect.any(Number), connectMs: expect.any(Number) });
  });

  it('works for a paused and for a disabled webhook, and changes neither', async () => {
    let status = 410;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await run('webhook pause');
    expect(await run('webhook test')).toMatchObject({ delivered: false, outcome: { status: 410 } });
    expect(await endpoint()).toMatchObject({
      pausedAt: expect.any(Date),
      disabledAt: null,
      failuresInARow: 0,
    });
    await flow.database.endpoint.updateMany({ ...where(), data: { disabledAt: new Date() } });
    status = 200;
    expect(await run('webhook test')).toMatchObject({ delivered: true });
    expect([hook.received.length, await states()]).toEqual([2, ['exhausted', 'delivered']]);
    expect(await endpoint()).toMatchObject({ pausedAt: expect.any(Date), disabledAt: expect.any(Date) });
  });

  it('is not retried when it fails, and delays no other delivery', async () => {
    let status = 500;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    expect(await run('webhook test')).toMatchObject({ delivered: false, outcome: { result: 'response' } });
    expect(await deliveries()).toMatchObject([{ state: 'exhausted', nextAttemptAt: null, attemptsMade: 1 }]);
    status = 204;
    await run('webhook pause');
    await run('webhook resume');
    await reward('bob');
    await waitFor(async () => (await states()).join() === 'exhausted,delivered,delivered');
    expect(hook.received.map(({ event }) => event)).toEqual(['webhook.ping', 'reward.issue', 'reward.issue']);
    await hook.close();
    expect(await run('webhook test')).toMatchObject({ outcome: { result: 'error', errorClass: 'connect' } });
  });

  it('treats the webhook of another merchant as one that does not exist', async () => {
    await flow.receiver(merchant, 'reward.issue');
    const other = await flow.openMerchant();
    const webhook = (await endpoint()).id;
    const commands = [
      ['webhook test', { webhook }],
      ['webhook pause', { webhook }],
      ['webhook resume', { webhook }],
      ['webhook set', { webhook, 'retry-hours': '5' }],
    ] as const;
    for (const [name, options] of commands)
      await expect(flow.admin(name, { merchant: other.id, ...options })).rejects.toThrow('has no');
    expect(await states()).toEqual([]);
    await run('webhook delete');
    for (const [name, options] of commands) await expect(run(name, options)).rejects.toThrow('has no');
  });
});

describe('webhook pause and resume', () => {
  it('hold pending and new deliveries, and send all of them afterwards without earlier failures', async () => {
    let status = 500;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward('bob');
    await waitFor(
      async () => (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 1).length === 2,
    );
    await run('webhook pause');
    await reward('carl');
    await waitFor(async () => (await deliveries()).length === 4);
    expect(await states()).toEqual(['held', 'held', 'held', 'held']);
    expect(await listed()).toMatchObject({ pausedAt: expect.any(Date) });
    await expect(run('webhook pause')).rejects.toThrow('already paused');
    const before = hook.received.length;

    status = 204;
    await flow.database.endpoint.updateMany({
      ...where(),
      data: {
        breakerOpenedAt: new Date(),
        sendAfter: new Date(Date.now() + 1e6),
        failuresInARow: 9,
        probesFailed: 2,
      },
    });
    await run('webhook resume');
    expect(await endpoint()).toMatchObject({
      pausedAt: null,
      breakerOpenedAt: null,
      sendAfter: null,
      failuresInARow: 0,
      probesFailed: 0,
    });
    await waitFor(async () => (await states()).every((state) => state === 'delivered'));
    expect(hook.received.length - before).toBe(4);
    await expect(run('webhook resume')).rejects.toThrow('has no paused');
  });

  it('hold the deliveries of a webhook that is also disabled until it is enabled', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    await run('webhook pause');
    await flow.database.endpoint.updateMany({ ...where(), data: { disabledAt: new Date() } });
    await reward('bob');
    await waitFor(async () => (await states()).length === 2);
    await run('webhook resume');
    expect([await states(), hook.received.length]).toEqual([['held', 'held'], 0]);
    await run('webhook enable');
    await waitFor(async () => (await states()).every((state) => state === 'delivered'));
  });

  async function listed() {
    const { webhooks } = await flow.admin('webhook list', { merchant: merchant.id });
    return (webhooks as object[])[0];
  }
});

describe('webhook list', () => {
  it('shows why a webhook is disabled as text, and its health under stable keys', async () => {
    await flow.receiver(merchant, 'reward.issue', { respond: () => 410 });
    await reward('bob');
    await waitFor(async () => (await endpoint()).disabledAt !== null);
    const { webhooks } = await flow.admin('webhook list', { merchant: merchant.id });
    const [webhook] = webhooks as [object];
    expect(webhook).toMatchObject({ disabledReason: 'The receiver answered 410 Gone.' });
    expect(Object.keys(webhook).toSorted()).toEqual([
      'breakerOpenedAt',
      'burstFailures',
      'burstSince',
      'createdAt',
      'disabledAt',
      'disabledReason',
      'drainPerSecond',
      'eventTypes',
      'failingSince',
      'failuresInARow',
      'firstSuccessAt',
      'id',
      'inFlightLimit',
      'lastFailedAt',
      'operatorPausedAt',
      'parkedAt',
      'parkedError',
      'pausedAt',
      'probesFailed',
      'retryAt',
      'retryHours',
      'sendAfter',
      'url',
      'warnedAt',
    ]);
  });
});

describe('webhook set', () => {
  it('sets and clears the retry hours within their limits', async () => {
    await flow.receiver(merchant, 'reward.issue');
    expect(await run('webhook set', { 'retry-hours': '6' })).toMatchObject({ retryHours: 6 });
    expect(await endpoint()).toMatchObject({ retryHours: 6 });
    await run('webhook set', { 'retry-hours': 'schedule' });
    expect(await endpoint()).toMatchObject({ retryHours: null });
    for (const hours of ['0', '721', '1.5', 'x', '-1'])
      await expect(run('webhook set', { 'retry-hours': hours })).rejects.toThrow('1 to 720');
  });
});
