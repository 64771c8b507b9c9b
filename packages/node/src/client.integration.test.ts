import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { createClient, RewardhookError, userHash } from './index.ts';
import type { Client, Reward } from './index.ts';

let flow: Flow;
let merchant: Merchant;
let client: Client;
beforeAll(async () => {
  flow = await startFlow();
  merchant = await flow.openMerchant();
  client = createClient({ secretKey: merchant.secretKey, apiUrl: `${flow.url}/` });
  await flow.receiver(merchant, 'reward.issue');
  await client.members.link({ referrer_member_id: 'ann', referee_member_id: 'bob' });
  await client.orders.send([
    buildOrder({ order_id: 'first/1', member_id: 'bob', items: [buildItem({ product_id: 'tea' })] }),
    buildOrder({ order_id: 'o-2', member_id: 'carl' }),
    buildOrder({ order_id: 'o-3', member_id: 'carl' }),
  ]);
  await flow.queues.settled();
});
afterAll(() => flow.close());

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
async function first<Item>(list: AsyncIterable<Item>): Promise<Item> {
  for await (const item of list) return item;
  throw new Error('the list is empty');
}
const errorOf = async (call: Promise<unknown>): Promise<RewardhookError> => {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RewardhookError)) throw error;
  return error;
};

describe('The client of the API', () => {
  it('An order is read with its items and explained, whatever its id', async () => {
    expect(await client.orders.get('first/1')).toMatchObject({
      order_id: 'first/1',
      items: [{ product_id: 'tea' }],
    });
    const explanation = await client.orders.explain('first/1');
    expect(explanation.decision).toMatchObject({ outcome: 'rewarded', reason: 'rewarded' });
    expect(explanation.timeline.map(({ what }) => what)).toContain('reward_confirmed');
  });

  it('A list is read over all its pages, by items or by pages, and from a cursor', async () => {
    const ids = (await all(client.orders.list({ limit: 1 }))).map(({ order_id }) => order_id);
    expect(ids.toSorted()).toEqual(['first/1', 'o-2', 'o-3']);
    const pages = await all(client.orders.list({ limit: 2 }).pages());
    expect(pages.map(({ items, has_more }) => [items.length, has_more])).toEqual([
      [2, true],
      [1, false],
    ]);
    const after = pages[0]?.next ?? undefined;
    expect((await all(client.orders.list({ after }))).map(({ order_id }) => order_id)).toEqual(ids.slice(2));
    expect(await all(client.orders.list({ member_id: 'carl' }))).toHaveLength(2);
  });

  it('Rewards, referrals, members, webhooks and deliveries are listed and read one by one', async () => {
    const rewards: Reward[] = await all(client.rewards.list({ state: 'confirmed', from: new Date(0) }));
    expect(rewards.map(({ role, member_id }) => `${role} ${member_id}`).toSorted()).toEqual([
      'referee bob',
      'referrer ann',
    ]);
    const reward = await first(client.rewards.list({ role: 'referee' }));
    expect(await client.rewards.get(reward.id)).toEqual(reward);
    const referral = await first(client.referrals.list({ flagged: false, review: 'none' }));
    expect(referral).toMatchObject({ referrer_member_id: 'ann', source: 'link' });
    expect(await client.referrals.get(referral.id)).toEqual(referral);
    expect((await all(client.members.list({ search: 'a' }))).map((one) => one.member_id)).toEqual(['ann']);
    expect((await client.members.get('ann')).counts.referees).toBe(1);
    const webhook = await first(client.webhooks.list());
    expect(await client.webhooks.get(webhook.id)).toMatchObject({ status: 'active' });
    const delivery = await first(client.webhooks.deliveries(webhook.id, { state: 'delivered' }));
    const details = await client.deliveries.get(delivery.id);
    expect(details).toMatchObject({ ...delivery, attempts: [{ number: 1, status: 204 }] });
    expect((await client.events.get(details.event_id)).type).toBe('reward.issue');
  });

  it('Null for a field with a default is left out, which the API refuses', async () => {
    const { first_order: _first, ...order } = buildOrder({ order_id: 'nulls', member_id: 'carl' });
    const items = [{ ...buildItem({ product_id: 'tea' }), sku: null }];
    const sent = await client.orders.send([
      { ...order, first_order: null, items },
      { ...order, order_id: 'nulls-2', first_order: null, items: null },
    ]);
    expect(sent).toMatchObject({ accepted_count: 2, warnings: {} });
    await flow.queues.settled();
    expect(await client.orders.get('nulls')).toMatchObject({ first_order: false, items: [{ sku: '' }] });
    expect(await client.orders.get('nulls-2')).toMatchObject({ first_order: false, items: [] });
  });

  it('Of several states of an order that are sent at the same time the last one is stored', async () => {
    const order = buildOrder({ order_id: 'states', member_id: 'carl', items: [] });
    await Promise.all([1, 2, 3, 4, 5].map((paid_amount) => client.orders.send([{ ...order, paid_amount }])));
    await flow.queues.settled();
    expect((await client.orders.get('states')).paid_amount).toBe(5);
  });

  it('A test event is sent to a webhook, and its outcome is returned', async () => {
    const { id } = await first(client.webhooks.list());
    const sent = await client.webhooks.sendTestEvent(id, { type: 'reward.revoke' });
    expect(sent).toMatchObject({ event_type: 'reward.revoke', delivered: true, attempt: { status: 204 } });
    expect((await client.webhooks.sendTestEvent(id)).event_type).toBe('webhook.ping');
    expect((await errorOf(client.webhooks.sendTestEvent('whk_none'))).code).toBe('not_found');
  });

  it('A member is linked by a code, and a second link to another referrer is an error', async () => {
    const { referral_code: code } = await client.members.get('ann');
    const linked = await client.members.link({
      referral_code: String(code).toLowerCase(),
      referee_member_id: 'dora',
    });
    expect(linked).toMatchObject({
      referrer_member_id: 'ann',
      referee_member_id: 'dora',
      code,
      warnings: {},
    });
    const again = await client.members.link({ referrer_member_id: 'ann', referee_member_id: 'dora' });
    expect(again).toEqual({
      ...linked,
      warnings: { referee_member_id: 'was linked to this referrer before: nothing is changed' },
    });
    const error = await errorOf(
      client.members.link({ referrer_member_id: 'eve', referee_member_id: 'dora' }),
    );
    expect([error.code, error.status]).toEqual(['already_linked', 409]);
    expect(error.requestId).toMatch(/\S/);
  });

  it('A member is merged into another one, and is found by both ids', async () => {
    const request = { from_member_id: 'fred-old', into_member_id: 'fred', reason: 'Two accounts' };
    await client.members.link({ referrer_member_id: 'ann', referee_member_id: 'fred-old' });
    const idempotencyKey = 'merge-of-fred';
    const planned = await client.members.merge({ ...request, dry_run: true });
    expect((await client.members.get('fred-old')).aliases).toEqual([]);
    const merged = await client.members.merge(request, { idempotencyKey });
    expect(merged).toEqual({ ...planned, dry_run: false });
    expect(await client.members.merge(request, { idempotencyKey })).toEqual(merged);
    expect(await client.members.get('fred-old')).toMatchObject({ member_id: 'fred', aliases: ['fred-old'] });
  });

  it('An error of the API has its code, its fields and its request id, and a message with the fields', async () => {
    const error = await errorOf(client.members.link({ referee_member_id: '', referrer_member_id: 'ann' }));
    expect(error).toMatchObject({ name: 'RewardhookError', code: 'invalid_request', status: 400 });
    expect(Object.keys(error.params ?? {})).toEqual(['referee_member_id']);
    expect(error.message).toContain('referee_member_id');
    expect(error.message).not.toContain(merchant.secretKey);
    expect((await errorOf(client.orders.get('none'))).code).toBe('not_found');
    const stranger = createClient({ secretKey: 'svc_sk_unknown', apiUrl: flow.url });
    expect((await errorOf(stranger.orders.get('first/1'))).code).toBe('invalid_api_key');
  });

  it('The user hash is that of the boot call', () => {
    expect(userHash('user-42', 'ids_example')).toMatch(/^fea9940e/);
    expect(userHash('ann', merchant.identitySecret)).toBe(userHashOf(merchant, 'ann'));
    expect(() => userHash('ann', undefined)).toThrow(
      new TypeError('identitySecret is missing: is its environment variable set?'),
    );
    expect(() => userHash('', 'ids_example')).toThrow(TypeError);
  });

  it.each<[string, object]>([
    ['a key that is not set', { secretKey: undefined }],
    ['a public key', { secretKey: 'svc_pk_x' }],
    ['a key that is only its beginning', { secretKey: 'svc_sk_…' }],
    ['a key with a line break', { secretKey: 'svc_sk_x\ny' }],
    ['a URL that is not set', { apiUrl: undefined }],
    ['a host without a scheme', { apiUrl: 'api.example.com' }],
    ['a URL of another scheme', { apiUrl: 'ftp://api.example.com' }],
  ])('A client is not created with %s', (_what, options) => {
    const create = () => createClient({ secretKey: 'svc_sk_x', apiUrl: flow.url, ...options });
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/svc_sk_x/);
  });

  it.each(['secretKey', 'apiUrl'])(
    'A client says that %s is missing, as when a variable is not set',
    (name) => {
      for (const value of [undefined, ''])
        expect(() => createClient({ secretKey: 'svc_sk_x', apiUrl: flow.url, [name]: value })).toThrow(
          new TypeError(`${name} is missing: is its environment variable set?`),
        );
    },
  );

  it.each(['', '.', '..', undefined])('An order cannot have the id %j', async (id) => {
    expect(() => client.orders.get(id as string)).toThrow(TypeError);
  });
});
