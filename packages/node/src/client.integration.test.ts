import { buildItem, buildOrder, temporaryFolder, waitFor } from '@rewardhook/testing';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { createClient, RewardhookError, userHash, cursorFile } from './index.ts';
import type { Client, Reward, CursorStore, FeedEvent } from './index.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('The client of the API', () => {
  let merchant: Merchant;
  let client: Client;
  beforeAll(async () => {
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

  it('An order is read with its items and explained, whatever its id', async () => {
    expect(await client.orders.get('first/1')).toMatchObject({
      order_id: 'first/1',
      items: [{ product_id: 'tea' }],
    });
    const explanation = await client.orders.explain('first/1');
    expect(explanation.decision).toMatchObject({
      // When the second pass after the link has evaluated it again, its reward is kept.
      outcome: expect.stringMatching(/^(rewarded|kept)$/) as string,
      reason: 'rewarded',
    });
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

describe('Reading the event feed', () => {
  let merchant: Merchant;
  let client: Client;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    client = createClient({ secretKey: merchant.secretKey, apiUrl: flow.url });
  });

  /** Two rewards: of the referee, and of their referrer. */
  async function reward(referee: string): Promise<void> {
    await client.members.link({ referrer_member_id: 'ann', referee_member_id: referee });
    await flow.syncAndSettle(merchant, buildOrder({ member_id: referee, items: [] }));
  }
  function cursors(): CursorStore & { stored: string[] } {
    const stored: string[] = [];
    return {
      stored,
      load: async () => stored.at(-1),
      store: async (cursor) => void stored.push(cursor),
    };
  }
  const membersOf = (events: FeedEvent[]) =>
    events.map((event) => (event.type === 'reward.issue' ? event.data.member_id : event.type)).toSorted();

  it('Each event is read once over several calls, page by page', async () => {
    await reward('bob');
    await reward('carl');
    const store = cursors();
    const events: FeedEvent[] = [];
    const onEvent = (event: FeedEvent) => events.push(event);
    expect(await client.events.read({ cursors: store, limit: 3, onEvent })).toBe(4);
    expect(membersOf(events)).toEqual(['ann', 'ann', 'bob', 'carl']);
    expect(store.stored).toHaveLength(2);
    expect(await client.events.read({ cursors: store, onEvent })).toBe(0);
    await reward('dora');
    expect(await client.events.read({ cursors: store, onEvent })).toBe(2);
    expect(await client.events.page({ limit: 1 })).toMatchObject({ events: [events[0]], has_more: true });
  });

  it('When the work of an event fails, its page is read again', async () => {
    await reward('bob');
    const store = cursors();
    let fails = true;
    const seen: string[] = [];
    const onEvent = (event: FeedEvent) => {
      seen.push(event.id);
      if (seen.length === 2 && fails) throw new Error('database away');
    };
    await expect(client.events.read({ cursors: store, onEvent })).rejects.toThrow('database away');
    expect(store.stored).toEqual([]);
    fails = false;
    expect(await client.events.read({ cursors: store, onEvent })).toBe(2);
    expect(seen.slice(2)).toEqual(seen.slice(0, 2));
  });

  it('A reader whose cursor has expired starts again, at the time that it chooses', async () => {
    await reward('bob');
    const store = cursors();
    await client.events.read({ cursors: store, onEvent: () => undefined });
    const expire = async () => {
      await flow.database.event.deleteMany({ where: { merchantId: merchant.id } });
      const data = { feedPosition: 0, feedFingerprint: 0 };
      await flow.database.merchant.update({ where: { id: merchant.id }, data });
    };
    await expire();
    await reward('carl');
    const events: FeedEvent[] = [];
    const read = (onCursorExpired?: () => Date) =>
      client.events.read({
        cursors: store,
        onEvent: (event) => events.push(event),
        ...(onCursorExpired && { onCursorExpired }),
      });
    expect(await read()).toBe(2);
    expect(membersOf(events)).toEqual(['ann', 'carl']);
    await expire();
    await reward('dora');
    // Events get their position when they are read first. Those without one are in every page.
    await client.events.page();
    let asked = 0;
    const since = () => new Date(Date.now() + 3_600_000 * (asked += 1));
    expect([await read(since), asked]).toEqual([0, 1]);
  });

  it('A reader that is stopped while the work of an event fails ends with the error of the work', async () => {
    await reward('bob');
    const stop = new AbortController();
    const reading = client.events.read({
      cursors: cursors(),
      onEvent: () => {
        stop.abort();
        throw new Error('database away');
      },
      pollMs: 20,
      signal: stop.signal,
    });
    await expect(reading).rejects.toThrow('database away');
  });

  it('A reader that polls gets new events until it is stopped, and continues from its file', async () => {
    const folder = temporaryFolder();
    const store = cursorFile(`${folder.path}/cursor`);
    expect(await store.load()).toBeUndefined();
    const stop = new AbortController();
    const events: FeedEvent[] = [];
    const reading = client.events.read({
      cursors: store,
      onEvent: (event) => events.push(event),
      pollMs: 20,
      signal: stop.signal,
    });
    await reward('bob');
    await waitFor(() => events.length === 2);
    stop.abort();
    expect(await reading).toBe(2);
    await reward('carl');
    expect(await client.events.read({ cursors: store, onEvent: (event) => events.push(event) })).toBe(2);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    folder.remove();
  });
});
