import { recordProblems } from '@rewardhook/database/operations';
import type { FoundProblem } from '@rewardhook/database/operations';
import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { syncPath } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import type { SignedUpMerchant } from '../../testing/open-console.ts';
import type { Site } from './open-site.ts';

/** One id of each resource of the merchant, to open its page. */
export interface FilledMerchant {
  orderId: string;
  memberId: string;
  referralId: string;
  webhookId: string;
  deliveryId: string;
  requestId: string;
  receiver: Receiver;
}

/** Gives a merchant data for every page, including what failed, what is waiting and what was revoked. */
export async function fillMerchant(
  { flow }: Site,
  { browser, merchant }: SignedUpMerchant,
): Promise<FilledMerchant> {
  const receiver = await flow.receiver(merchant, 'reward.issue,reward.revoke', {}, '/webhooks/rewardhook');
  await flow.receiver(merchant, 'reward.issue', { respond: () => 500 }, '/old-shop/hook');
  const origin = 'https://shop.example.com';
  await flow.admin('origin verify', { merchant: merchant.id, origin, 'without-proof': 'true' });
  await browser.send('PUT', '/credentials/linking', {
    allowed_origins: ['https://shop.example.com'],
    landing_url: 'https://shop.example.com/welcome',
    require_user_hash: false,
    attribution_days: 30,
  });
  await browser.post('/credentials/identity-secret/replace', { overlap_hours: 24 });
  const referees = ['minji', 'seojun', 'haeun', 'doyun', 'jiwoo'].map(
    (name, index) => `${name}-${index + 1}`,
  );
  for (const referee of referees) await flow.link(merchant, 'yuna-0', referee);
  const needsReview = await flow.link(merchant, 'minji-1', 'MINJI-1');
  const order = (index: number, overrides: Parameters<typeof buildOrder>[0] = {}) =>
    buildOrder({
      order_id: `2026-${1001 + index}`,
      member_id: referees.at(index % referees.length) ?? '',
      items: [
        buildItem(),
        buildItem({ product_id: 'cup-02', product_name: '백자 찻잔', quantity: 1, sku: '' }),
      ],
      ...overrides,
    });
  await flow.syncAndSettle(
    merchant,
    order(0, { first_order: true }),
    order(1),
    order(2, { paid_at: null }),
    order(3),
    order(4, { paid_amount: 1_234_000, order_amount: 1_234_000 }),
    order(5),
    order(6, { member_id: 'walk-in' }),
  );
  await flow.syncAndSettle(merchant, order(3, { returned_at: new Date().toISOString() }));
  const { database } = flow;
  const where = { merchantId: merchant.id };
  const endpoints = await database.endpoint.findMany({ where, orderBy: { createdAt: 'asc' } });
  const [good, bad] = endpoints.map(({ id }) => id) as [string, string];
  await browser.post(`/webhooks/${good}/test`, {});
  await browser.post(`/webhooks/${good}/replays`, {
    states: ['delivered'],
    from: '2026-01-01T00:00:00Z',
    until: '2036-01-01T00:00:00Z',
    new_ids: true,
    per_minute: 1,
  });
  await browser.post('/team/invitations', { email: 'designer@example.com', role: 'viewer' });
  await browser.post('/program', {
    base_version: 1,
    terms: {
      trigger: 'first_order',
      referee: { type: 'points', unit: 'points', amount: { kind: 'percent', rate: 2.5, cap: 5_000 } },
      referrer: { type: 'coupon', unit: 'THANKS-WON', amount: { kind: 'fixed', value: 1 } },
      minimumPaidAmount: 10_000,
      windowDays: 30,
      holdDays: 7,
      referrerCap: { total: 50, month: 5 },
      budget: 10_000_000,
    },
  });
  await openProblems(flow, merchant.id, bad);
  const delivery = await database.delivery.findFirstOrThrow({ where: { ...where, endpointId: bad } });
  return {
    orderId: '2026-1001',
    memberId: 'yuna-0',
    referralId: String(needsReview.body.data['id']),
    webhookId: bad,
    deliveryId: delivery.id,
    requestId: await refusedRequest(flow, merchant),
    receiver,
  };
}

/** Sends requests that are refused, and one that is accepted with warnings. Returns the id of the row of a refused one. */
async function refusedRequest(flow: Flow, { id: merchantId, secretKey }: Merchant): Promise<string> {
  const send = (orders: object[]) => flow.call(syncPath, { orders }, { key: secretKey });
  await send([
    buildOrder({ order_id: '2026-2001' }),
    { ...buildOrder({ order_id: '2026-2002' }), canceled_at: null },
  ]);
  await send([]);
  await send([
    { ...buildOrder({ order_id: '2026-2003', items: [] }), order_amount: -1 },
    {
      ...buildOrder({ order_id: '2026-2004', items: [buildItem({ quantity: 0 })] }),
      paid_amount: '1,000',
      order_date: '2026-11-29',
    },
  ]);
  const find = () =>
    flow.database.request.findFirst({
      where: { merchantId, code: 'invalid_request' },
      orderBy: { at: 'desc' },
    });
  await waitFor(async () => (await find()) !== null, { what: 'the refused request' });
  return String((await find())?.id);
}

/** Opens problems, two of which are resolved. */
async function openProblems({ database }: Flow, merchantId: string, webhookId: string): Promise<void> {
  const none = { merchantId, subject: '', number: 1, error: null };
  const problems: FoundProblem[] = [
    { ...none, kind: 'webhook_failing', subject: webhookId, number: 8, error: 'status 500', failures: 9 },
    {
      ...none,
      kind: 'requests_refused',
      subject: 'invalid_request',
      number: 10_001,
      error: 'invalid_request',
    },
    { ...none, kind: 'orders_without_referrer', number: 61 },
    { ...none, kind: 'referrals_to_review' },
    { ...none, kind: 'budget_nearly_used', number: 93 },
    { ...none, kind: 'signing_key_expiring', subject: 'sgk_1' },
    { ...none, kind: 'no_webhook', number: 5 },
  ];
  const checked = { kinds: [], findings: [] };
  await recordProblems(database, problems, checked);
  await database.$executeRaw`
    UPDATE problems SET resolved_at = now() - interval '1 day', opened_at = opened_at - interval '2 days', openings = 3
    WHERE merchant_id = ${merchantId} AND kind IN ('no_webhook', 'orders_without_referrer')`;
}

/** Adds deliveries that were created in the last seconds, as copies of the first one. */
export async function fillDeliveries(
  { flow }: Site,
  { merchant }: SignedUpMerchant,
  { count, seconds }: { count: number; seconds: number },
): Promise<void> {
  await flow.database.$executeRaw`
    INSERT INTO deliveries SELECT (jsonb_populate_record(NULL::deliveries, to_jsonb(d) || jsonb_build_object(
        'id', gen_random_uuid(),
        'replay_id', 'copy_' || gen_random_uuid(),
        'created_at', now() - n * ${seconds / count}::float8 * interval '1 second',
        'state', (ARRAY['pending', 'delivered', 'exhausted'])[n % 3 + 1],
        'next_attempt_at', CASE WHEN n % 3 = 0 THEN now() + n * interval '1 minute' + interval '1 hour' END))).*
    FROM (SELECT * FROM deliveries WHERE merchant_id = ${merchant.id} ORDER BY created_at LIMIT 1) d, generate_series(1, ${count}::int) n`;
}
