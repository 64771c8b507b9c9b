import { setTimeout } from 'node:timers/promises';
import { hasValidSignature, startReceiver, waitFor } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { updateEndpoint } from '@rewardhook/database';
import { openCleanup } from '../harness/cleanup.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

jest.setTimeout(60_000);

// A pause, a deletion and a rotation with two valid keys are in the chaos scenario `changed-webhooks`.

/** A second, and some time for a busy machine. */
const effectiveAfterMs = 1_600;
/** Deliveries of a backlog: more than are sent during the test. */
const backlog = 1_500;
const limits = { perMerchant: 20, perHost: 5, newPerUrl: 5 };

describe('While a backlog is sent', () => {
  const cleanup = openCleanup();
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow();
    cleanup.add(() => flow.close());
  });
  afterAll(() => cleanup.run());

  interface MerchantWithBacklog extends Merchant {
    endpointId: string;
    receiver: Receiver;
  }

  /** A merchant with a backlog, whose receiver answers after 0.3 s. */
  async function openMerchantWithBacklog(): Promise<MerchantWithBacklog> {
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
        RETURNING id, created_at
      )
      INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id)
      SELECT gen_random_uuid(), ${merchant.id}, id, created_at, ${endpointId} FROM made`;
    return { ...merchant, endpointId, receiver };
  }
  const signedBy = ({ rawBody, headers }: ReceivedWebhook, secret: string) =>
    hasValidSignature(rawBody, secret, headers['x-service-signature'] as string | undefined);

  it('another URL, and signing keys that are deleted or replaced at once, take effect after a second, also for claimed deliveries', async () => {
    const merchants = await Promise.all(Array.from({ length: 3 }, openMerchantWithBacklog));
    const [rotated, unsigned, moved] = merchants as [
      MerchantWithBacklog,
      MerchantWithBacklog,
      MerchantWithBacklog,
    ];
    for (const { receiver } of merchants)
      await waitFor(() => receiver.received.length > 60, { deadlineMs: 20_000, what: 'a backlog in flow' });

    const { signingSecret } = await flow.admin('signing-key rotate', {
      merchant: rotated.id,
      'overlap-hours': '0',
    });
    await flow.admin('signing-key delete', { merchant: unsigned.id });
    const url = `${moved.receiver.url}/after`;
    await updateEndpoint(flow.database, moved.id, moved.endpointId, { url }, { limits });
    const since = Date.now() + effectiveAfterMs;
    const later = ({ receiver }: MerchantWithBacklog) =>
      receiver.received.filter(({ receivedAt }) => Number(receivedAt) > since);
    await waitFor(() => merchants.every((merchant) => later(merchant).length > 20), {
      deadlineMs: 20_000,
      what: 'requests after the changes',
    });

    expect(new Set(later(moved).map(({ path }) => path))).toEqual(new Set(['/after']));
    expect(later(unsigned).filter(({ headers }) => headers['x-service-signature'])).toEqual([]);
    expect(later(rotated).filter((webhook) => !signedBy(webhook, String(signingSecret)))).toEqual([]);
    expect(
      rotated.receiver.received.filter((webhook) => signedBy(webhook, rotated.signingSecret)).length,
    ).toBeGreaterThan(60);
  });
});
