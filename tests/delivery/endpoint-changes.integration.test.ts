import { setTimeout } from 'node:timers/promises';
import { hasValidSignature, startReceiver, waitFor } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { updateEndpoint } from '@rewardhook/database';
import { openCleanup, startFlow } from '../harness/index.ts';
import type { Flow, Merchant } from '../harness/index.ts';

jest.setTimeout(60_000);

/** What is promised is a second; the rest is for a busy machine. */
const countsAfterMs = 1_600;
/** Deliveries of a backlog: more than are sent while the test looks on. */
const backlog = 1_500;
const limits = { perMerchant: 20, perHost: 5, newPerUrl: 5 };

describe('while a backlog is being sent', () => {
  const cleanup = openCleanup();
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow();
    cleanup.add(() => flow.close());
  });
  afterAll(() => cleanup.run());

  interface Shop extends Merchant {
    endpointId: string;
    receiver: Receiver;
  }

  /** A merchant whose receiver takes 0.3 s for an answer, and has its backlog coming in. */
  async function openShop(): Promise<Shop> {
    const merchant = await flow.openMerchant();
    const receiver = await startReceiver({ respond: () => setTimeout(300, 204) });
    cleanup.add(() => receiver.close());
    const added = await flow.admin('webhook add', {
      merchant: merchant.id,
      url: `${receiver.url}/before`,
      events: 'reward.issue',
    });
    const endpointId = String(added['webhookId']);
    await flow.database.$executeRaw`
      WITH made AS (
        INSERT INTO events (merchant_id, id, type, body)
        SELECT ${merchant.id}, 'evt_' || number, 'reward.issue', '{}' FROM generate_series(1, ${backlog}::int) AS number
        RETURNING id
      )
      INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id)
      SELECT gen_random_uuid(), ${merchant.id}, id, ${endpointId} FROM made`;
    return { ...merchant, endpointId, receiver };
  }
  const signedBy = ({ rawBody, headers }: ReceivedWebhook, secret: string) =>
    hasValidSignature(rawBody, secret, headers['x-service-signature'] as string | undefined);

  it('a pause, a deletion, another URL and a change of signing keys count after a second, taken ahead or not', async () => {
    const shops = await Promise.all(Array.from({ length: 5 }, openShop));
    const [rotated, unsigned, paused, deleted, moved] = shops as [Shop, Shop, Shop, Shop, Shop];
    for (const { receiver } of shops)
      await waitFor(() => receiver.received.length > 60, { deadlineMs: 20_000, what: 'a backlog in flow' });

    const { signingSecret } = await flow.admin('signing-key rotate', {
      merchant: rotated.id,
      'overlap-hours': '0',
    });
    await flow.admin('signing-key delete', { merchant: unsigned.id });
    await flow.admin('webhook pause', { merchant: paused.id, webhook: paused.endpointId });
    await flow.admin('webhook delete', { merchant: deleted.id, webhook: deleted.endpointId });
    const url = `${moved.receiver.url}/after`;
    await updateEndpoint(flow.database, moved.id, moved.endpointId, { url }, { limits });
    const since = Date.now() + countsAfterMs;
    const later = ({ receiver }: Shop) =>
      receiver.received.filter(({ receivedAt }) => Number(receivedAt) > since);
    await waitFor(() => [rotated, unsigned, moved].every((shop) => later(shop).length > 20), {
      deadlineMs: 20_000,
      what: 'requests after the changes',
    });

    expect(later(paused)).toEqual([]);
    expect(later(deleted)).toEqual([]);
    expect(new Set(later(moved).map(({ path }) => path))).toEqual(new Set(['/after']));
    expect(later(unsigned).filter(({ headers }) => headers['x-service-signature'])).toEqual([]);
    expect(later(rotated).filter((webhook) => !signedBy(webhook, String(signingSecret)))).toEqual([]);
    expect(
      rotated.receiver.received.filter((webhook) => signedBy(webhook, rotated.signingSecret)).length,
    ).toBeGreaterThan(60);
    // What was taken ahead and not sent waits as the rest does.
    const where = { merchantId: paused.id };
    const states = await flow.database.delivery.groupBy({ by: ['state'], where, _count: true });
    expect(states.map(({ state }) => state).toSorted((one, other) => one.localeCompare(other))).toEqual([
      'delivered',
      'held',
    ]);
  });
});
