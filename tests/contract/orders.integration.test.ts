import { gzipSync } from 'node:zlib';
import { buildItem, buildOrder, hoursAgo } from '@rewardhook/testing';
import { syncPath } from '../harness/call-api.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('The fields of an order', () => {
  type Fields = Record<string, unknown>;

  /** A required field is left out by `undefined`: JSON has no such value. */
  const seoul = '2026-03-01T12:30:00+09:00';
  const inUtc = '2026-03-01T03:30:00.000000Z';

  let shop: Merchant;
  beforeAll(async () => {
    shop = await flow.openMerchant();
  });

  /** What is stored of an order that was sent with these fields. */
  async function stored(fields: Fields): Promise<Fields> {
    const order = { ...buildOrder(), ...fields };
    await flow.syncAndSettle(shop, order);
    const row = await readStoredOrder(flow.database, shop.id, order.order_id);
    if (!row) throw new Error('the order is not stored');
    return row;
  }
  const storedItem = async (fields: Fields) => {
    const { items } = await stored({ items: [{ ...buildItem(), ...fields }] });
    return (items as [Fields])[0];
  };

  /** The error that a request is refused with, at this path. */
  async function refusal(body: unknown, path: string): Promise<string | undefined> {
    const { status, body: answer } = await flow.call(syncPath, body, { key: shop.secretKey });
    expect([status, answer.code]).toEqual([400, 'invalid_request']);
    expect(Object.keys(answer.params ?? {})).toEqual([path]);
    return answer.params?.[path];
  }
  const orderRefusal = (field: string, value: unknown) =>
    refusal({ orders: [{ ...buildOrder(), [field]: value }] }, `orders[0].${field}`);
  const itemRefusal = (field: string, value: unknown) =>
    refusal(
      { orders: [{ ...buildOrder(), items: [{ ...buildItem(), [field]: value }] }] },
      `orders[0].items[0].${field}`,
    );

  describe('in the request envelope', () => {
    it('orders is required', async () => {
      expect(await refusal({}, 'orders')).toBe('is required');
    });
    it('orders must be a list', async () => {
      expect(await refusal({ orders: buildOrder() }, 'orders')).toBe('must be an array');
      expect(await refusal({ orders: null }, 'orders')).toBe('must not be null');
    });
    it('orders must have at least 1 element', async () => {
      expect(await refusal({ orders: [] }, 'orders')).toContain('at least 1');
    });
  });

  describe('Order', () => {
    const long = 'é'.repeat(255);
    it.each(['order_id', 'member_id'])('%s is a required string of max 255 characters', async (field) => {
      expect((await stored({ [field]: long }))[field]).toBe(long);
      expect(await orderRefusal(field, undefined)).toBe('is required');
      expect(await orderRefusal(field, `${long}x`)).toBe('must be at most 255 characters');
      expect(await orderRefusal(field, 17)).toBe('must be a string');
    });

    it('order_id is the unique order identifier of a merchant', async () => {
      const order = buildOrder();
      await flow.syncAndSettle(shop, order, buildOrder());
      await flow.syncAndSettle(shop, order);
      expect(await flow.database.order.count({ where: { orderId: order.order_id } })).toBe(1);
    });

    it('member_id must equal the userId of the client SDK boot call', async () => {
      const referrer = await flow.boot(shop, { user_id: 'boot-referrer' });
      const code = referrer.body.data['referral_code'];
      await flow.boot(shop, { user_id: 'boot-referee', referral_code: code });
      await flow.syncAndSettle(shop, buildOrder({ order_id: 'same-id', member_id: 'boot-referee' }));
      expect(await flow.database.reward.count({ where: { orderId: 'same-id' } })).toBe(2);
    });

    it('an order with a different member_id earns no reward', async () => {
      const referrer = await flow.boot(shop, { user_id: 'boot-referrer-2' });
      const code = referrer.body.data['referral_code'];
      await flow.boot(shop, { user_id: 'boot-referee-2', referral_code: code });
      await flow.syncAndSettle(shop, buildOrder({ order_id: 'other-id', member_id: 'Boot-Referee-2' }));
      expect(await readStoredOrder(flow.database, shop.id, 'other-id')).toBeDefined();
      expect(await flow.database.reward.count({ where: { orderId: 'other-id' } })).toBe(0);
    });

    it.each(['order_amount', 'paid_amount', 'shipping_amount'])(
      '%s is a required integer in won, 0 or more',
      async (field) => {
        expect((await stored({ [field]: 0 }))[field]).toBe(0);
        expect((await stored({ [field]: Number.MAX_SAFE_INTEGER }))[field]).toBe(Number.MAX_SAFE_INTEGER);
        expect(await orderRefusal(field, undefined)).toBe('is required');
        expect(await orderRefusal(field, -1)).toBe('must be 0 or more');
        expect(await orderRefusal(field, 0.5)).toBe('must be an integer');
        expect(await orderRefusal(field, '100')).toBe('must be an integer');
        expect(await orderRefusal(field, 2 ** 53)).toContain('or less');
      },
    );

    it('order_date is a required ISO 8601 date-time with UTC offset', async () => {
      expect((await stored({ order_date: seoul }))['order_date']).toBe(inUtc);
      expect((await stored({ order_date: '2026-03-01T03:30:00.123456Z' }))['order_date']).toBe(
        '2026-03-01T03:30:00.123456Z',
      );
      expect(await orderRefusal('order_date', undefined)).toBe('is required');
      expect(await orderRefusal('order_date', null)).toBe('must not be null');
      expect(await orderRefusal('order_date', '2026-03-01T12:30:00')).toContain('offset');
      expect(await orderRefusal('order_date', '2026-02-30T12:30:00Z')).toContain('exists');
      expect(await orderRefusal('order_date', '01/03/2026')).toContain('ISO 8601');
      expect(await orderRefusal('order_date', 1_772_335_800)).toBe('must be a string');
    });

    it('first_order is an optional boolean, by default false', async () => {
      expect((await stored({ first_order: undefined }))['first_order']).toBe(false);
      expect((await stored({ first_order: true }))['first_order']).toBe(true);
      expect(await orderRefusal('first_order', 'true')).toBe('must be true or false');
      expect(await orderRefusal('first_order', null)).toBe(
        'must not be null: leave the field out, or send false',
      );
    });

    it.each(['paid_at', 'cancelled_at', 'returned_at'])(
      '%s is an optional ISO 8601 date-time or null, by default null',
      async (field) => {
        expect((await stored({ [field]: undefined }))[field]).toBeNull();
        expect((await stored({ [field]: null }))[field]).toBeNull();
        expect((await stored({ [field]: seoul }))[field]).toBe(inUtc);
        expect(await orderRefusal(field, 'yesterday')).toContain('ISO 8601');
        expect(await orderRefusal(field, false)).toBe('must be a string');
      },
    );

    it('items is an optional list, by default []', async () => {
      expect((await stored({ items: undefined }))['items']).toEqual([]);
      expect((await stored({ items: [] }))['items']).toEqual([]);
      const two = [buildItem(), buildItem({ product_id: 'second' })];
      expect((await stored({ items: two }))['items']).toEqual(two);
      expect(await orderRefusal('items', null)).toBe(
        'must not be null: leave the field out, or send an empty list',
      );
      expect(await orderRefusal('items', {})).toBe('must be an array');
    });
  });

  describe('OrderItem', () => {
    const long = '가'.repeat(255);
    it.each(['product_id', 'product_name'])(
      '%s is a required string of max 255 characters',
      async (field) => {
        expect((await storedItem({ [field]: long }))[field]).toBe(long);
        expect(await itemRefusal(field, undefined)).toBe('is required');
        expect(await itemRefusal(field, `${long}x`)).toBe('must be at most 255 characters');
      },
    );

    it('quantity is a required integer, 1 or more', async () => {
      expect((await storedItem({ quantity: 1 }))['quantity']).toBe(1);
      expect(await itemRefusal('quantity', undefined)).toBe('is required');
      expect(await itemRefusal('quantity', 0)).toBe('must be 1 or more');
      expect(await itemRefusal('quantity', 1.5)).toBe('must be an integer');
    });

    it.each(['price', 'paid_amount'])('%s is a required integer in won, 0 or more', async (field) => {
      expect((await storedItem({ [field]: 0 }))[field]).toBe(0);
      expect((await storedItem({ [field]: 2 ** 53 - 1 }))[field]).toBe(2 ** 53 - 1);
      expect(await itemRefusal(field, undefined)).toBe('is required');
      expect(await itemRefusal(field, -1)).toBe('must be 0 or more');
    });

    it('sku is an optional string of max 255 characters, by default the empty string', async () => {
      expect((await storedItem({ sku: undefined }))['sku']).toBe('');
      expect((await storedItem({ sku: '' }))['sku']).toBe('');
      expect((await storedItem({ sku: long }))['sku']).toBe(long);
      expect(await itemRefusal('sku', `${long}x`)).toBe('must be at most 255 characters');
      expect(await itemRefusal('sku', null)).toBe(
        'must not be null: leave the field out, or send an empty text',
      );
    });

    it('cancelled_at is an optional ISO 8601 date-time or null, by default null', async () => {
      expect((await storedItem({ cancelled_at: undefined }))['cancelled_at']).toBeNull();
      const kept = (await storedItem({ cancelled_at: seoul }))['cancelled_at'];
      expect(new Date(String(kept)).toISOString()).toBe('2026-03-01T03:30:00.000Z');
      expect(await itemRefusal('cancelled_at', '2026-13-01T00:00:00Z')).toContain('exists');
    });
  });

  describe('Upsert rule', () => {
    it('an order with a known order_id is replaced by the most recently sent data', async () => {
      const first = buildOrder({ first_order: true, returned_at: seoul });
      await flow.syncAndSettle(shop, first);
      const second = buildOrder({
        order_id: first.order_id,
        order_amount: 7,
        paid_amount: 8,
        shipping_amount: 9,
        paid_at: null,
        items: [buildItem({ product_id: 'other' })],
      });
      await flow.syncAndSettle(shop, second);
      expect(await readStoredOrder(flow.database, shop.id, first.order_id)).toMatchObject({
        member_id: second.member_id,
        order_amount: 7,
        paid_amount: 8,
        shipping_amount: 9,
        first_order: false,
        paid_at: null,
        returned_at: null,
        items: second.items,
      });
    });
  });

  describe('States and transitions', () => {
    it('order placed: order_date, and paid_at when it is paid already', async () => {
      expect(await stored({ order_date: seoul, paid_at: seoul })).toMatchObject({
        order_date: inUtc,
        paid_at: inUtc,
        cancelled_at: null,
        returned_at: null,
      });
    });
    it.each([
      ['payment completed', 'paid_at'],
      ['order cancelled', 'cancelled_at'],
      ['return completed', 'returned_at'],
    ])('%s: a later request sets %s', async (_event, field) => {
      const order = buildOrder({ paid_at: null });
      await flow.syncAndSettle(shop, order);
      await flow.syncAndSettle(shop, { ...order, [field]: seoul });
      expect(await readStoredOrder(flow.database, shop.id, order.order_id)).toMatchObject({ [field]: inUtc });
    });
  });
});

describe('unknown fields of a request', () => {
  const linkPath = '/api/open/members/link/';
  const strict = { prefer: 'handling=strict' };

  let shop: Merchant;
  beforeAll(async () => {
    shop = await flow.openMerchant();
  });

  const send = (path: string, body: unknown, headers = {}) =>
    flow.call(path, body, { key: shop.secretKey, headers });

  it('An order with unknown fields is accepted with warnings that name the field, the order and the likely name', async () => {
    const order = buildOrder({ order_id: '1001', canceled_at: null } as never);
    const other = buildOrder({ order_id: '1002', items: [buildItem({ colour: 'red' } as never)] });
    const { status, body } = await send(syncPath, { orders: [buildOrder(), order, other], dry_run: true });
    expect([status, body]).toEqual([
      202,
      {
        data: { accepted_count: 3 },
        warnings: {
          dry_run: 'is not a known field',
          'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
          'orders[2].items[0].colour': 'is not a known field',
        },
        order_ids: { 'orders[1]': '1001', 'orders[2]': '1002' },
      },
    ]);
  });

  it('A placeholder in place of a member id is accepted with a warning, in strict mode too', async () => {
    const of = (order_id: string, member_id: string) => buildOrder({ order_id, member_id });
    const orders = [of('1', 'guest-1001'), of('2', ' Undefined\u200b'), of('3', 'null')];
    const warning =
      'is a placeholder such as undefined or guest: all orders with it are those of one member, who cannot be referred';
    for (const headers of [{}, strict])
      expect(await send(syncPath, { orders }, headers)).toMatchObject({
        status: 202,
        body: {
          data: { accepted_count: 3 },
          warnings: { 'orders[1].member_id': warning },
          order_ids: { 'orders[1]': '2' },
        },
      });
  });

  it('The response to a request without unknown fields has no warnings', async () => {
    expect((await send(syncPath, { orders: [buildOrder()] })).body).toEqual({ data: { accepted_count: 1 } });
  });

  it.each(['handling=strict', 'respond-async, handling="strict"; foo', 'HANDLING = STRICT'])(
    'Prefer: %s refuses unknown fields, and stores nothing',
    async (prefer) => {
      const order = buildOrder({ order_id: '1003', canceled_at: null } as never);
      const { status, body, headers } = await send(syncPath, { orders: [order] }, { prefer });
      expect([status, body.code, body.params, body.order_ids]).toEqual([
        400,
        'invalid_request',
        { 'orders[0].canceled_at': 'is not a known field: did you mean cancelled_at?' },
        { 'orders[0]': '1003' },
      ]);
      expect(headers.get('preference-applied')).toBe('handling=strict');
      await flow.queues.settled();
      const where = { merchantId: shop.id, orderId: '1003' };
      expect(await flow.database.order.count({ where })).toBe(0);
    },
  );

  it.each(['handling=lenient', 'handling=strictly', 'xhandling=strict', 'strict'])(
    'Prefer: %s does not refuse unknown fields',
    async (prefer) => {
      const { status, headers } = await send(syncPath, { orders: [buildOrder()], note: 1 }, { prefer });
      expect([status, headers.get('preference-applied')]).toEqual([202, null]);
    },
  );

  it('A link request with an unknown field is accepted with a warning, and refused in strict mode', async () => {
    const link = { referrer_member_id: 'alice', referee_member_id: 'bob', referralCode: 'X' };
    const warning = { referralCode: 'is not a known field: did you mean referral_code?' };
    const refused = await send(linkPath, link, strict);
    expect([refused.status, refused.body.params]).toEqual([400, warning]);
    const accepted = await send(linkPath, link);
    expect([accepted.status, accepted.body]).toMatchObject([201, { warnings: warning }]);
  });

  it('An error of 1,000 invalid orders is at most 200 kB long', async () => {
    const orders = Array.from({ length: 1_000 }, (_, n) => ({ order_id: `order number ${n}` }));
    const { status, body } = await send(syncPath, { orders });
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(200_000);
    expect(body.params?.['body']).toBe('has more invalid fields than the 1000 listed here');
  });
});

describe('An order with updated_at', () => {
  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });

  async function explain(orderId: string) {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return body.data as {
      version: number;
      decision: { reason: string };
      timeline: Entry[];
    };
  }
  type Entry = { what: string; version?: number; stored_time?: string; stored_time_of?: string };
  const dropped = async (orderId: string) =>
    (await explain(orderId)).timeline
      .filter(({ what }) => what === 'version_dropped')
      .map(({ stored_time, stored_time_of }) => [stored_time_of, Date.parse(String(stored_time))]);
  const versions = (timeline: Entry[], what: string) =>
    timeline.flatMap((entry) => (entry.what === what ? [entry.version] : []));

  it('that is cancelled stays cancelled when a paid state from before arrives later, and lists that state as dropped', async () => {
    const [before, then, after] = [secondsAgo(11), secondsAgo(10), secondsAgo(9)];
    const order = buildOrder({ member_id: 'bob', updated_at: then });
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: then });
    await flow.syncAndSettle(merchant, { ...order, updated_at: before });
    const { decision, timeline, version } = await explain(order.order_id);
    expect(decision.reason).toBe('cancelled');
    expect(versions(timeline, 'version_received')).toEqual([version]);
    expect(versions(timeline, 'version_dropped')).toEqual([expect.any(Number)]);
    expect(await dropped(order.order_id)).toEqual([['updated_at', Date.parse(String(order.updated_at))]]);
    await flow.syncAndSettle(merchant, { ...order, updated_at: after });
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('that was sent without it since is not overwritten: a state without one has the time of its acceptance', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(5) });
    await flow.syncAndSettle(merchant, { ...order, returned_at: secondsAgo(1) });
    await flow.syncAndSettle(merchant, { ...order, updated_at: secondsAgo(2) });
    const { decision, version } = await explain(order.order_id);
    expect(decision.reason).toBe('returned');
    expect(await dropped(order.order_id)).toEqual([['acceptance', Math.floor(version / 1_000)]]);
  });

  it('without an offset is stored whatever it says, with a warning: a shop in Seoul that sends UTC keeps its cancellations', async () => {
    const inUtc = (seconds: number) => secondsAgo(seconds).replace('Z', '');
    const order = buildOrder({ member_id: 'bob', updated_at: secondsAgo(3_600) });
    await flow.syncAndSettle(merchant, order);
    const cancelled = { ...order, cancelled_at: secondsAgo(1), updated_at: inUtc(1) };
    const { status, body } = await flow.call(syncPath, { orders: [cancelled] }, { key: merchant.secretKey });
    expect([status, body]).toMatchObject([
      202,
      {
        warnings: {
          'orders[0].updated_at': 'must have a UTC offset such as +09:00 or Z; without one it is ignored',
        },
      },
    ]);
    await flow.queues.settled();
    expect((await explain(order.order_id)).decision.reason).toBe('cancelled');
  });

  it('with a wrong offset is stored or dropped by it, with a warning that names the other date', async () => {
    const placed = secondsAgo(3_600);
    const order = buildOrder({
      member_id: 'bob',
      order_date: placed,
      paid_at: placed,
      updated_at: secondsAgo(60),
    });
    await flow.syncAndSettle(merchant, order);
    const cancelled = { ...order, cancelled_at: secondsAgo(1), updated_at: secondsAgo(9 * 3_600) };
    const { body } = await flow.call(syncPath, { orders: [cancelled] }, { key: merchant.secretKey });
    expect(body).toMatchObject({
      warnings: {
        'orders[0].updated_at':
          'is more than 10 minutes before cancelled_at: its UTC offset is probably wrong',
      },
    });
    await flow.queues.settled();
    expect(await dropped(order.order_id)).toEqual([['updated_at', Date.parse(String(order.updated_at))]]);
  });
});

describe('An order in a currency other than won', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  async function get<Data>(path: string): Promise<Data> {
    const { body } = await flow.call(`/api/open/orders/${path}/`, undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data as Data;
  }
  const explain = (orderId: string) =>
    get<{ decision: { outcome: string; reason: string }; counterfactual_parts: unknown }>(
      `${orderId}/explain`,
    );

  it('earns nothing, is kept with its currency, and counts as the first paid order of its member', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const abroad = buildOrder({ member_id: 'bob', order_date: hoursAgo(3), currency: 'usd' });
    const later = buildOrder({ member_id: 'bob', order_date: hoursAgo(2) });
    await flow.syncAndSettle(merchant, abroad);
    await flow.syncAndSettle(merchant, later);
    expect((await explain(abroad.order_id)).decision).toMatchObject({
      outcome: 'no_reward',
      reason: 'unsupported_currency',
    });
    expect((await explain(abroad.order_id)).counterfactual_parts).toMatchObject({
      conditions: [{ code: 'currency' }],
    });
    expect((await explain(later.order_id)).decision.reason).toBe('not_first_order');
    expect(await get(abroad.order_id)).toMatchObject({ currency: 'USD', paid_amount: abroad.paid_amount });
    expect(await get(later.order_id)).toMatchObject({ currency: 'KRW' });
    expect(await flow.database.reward.count({ where: { merchantId: merchant.id } })).toBe(0);
  });

  it('loses the reward that it earned in won, and earns one again when it is in won again', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob' });
    const types = () => hook.received.map(({ event }) => String(event)).sort();
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, currency: 'EUR' });
    await hook.waitFor(() => hook.received.length === 4);
    expect(types()).toEqual(['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke']);
    expect((await explain(order.order_id)).decision.reason).toBe('unsupported_currency');
    await flow.syncAndSettle(merchant, { ...order, currency: null });
    await hook.waitFor(() => hook.received.length === 6);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });
});

/** The API frees the memory of a body as soon as its orders are enqueued, and sync that of a job and of its statement. */
describe('Bodies of all sizes', () => {
  /** Orders of which every second one is not stored as it was sent, with names that show which order they belong to. */
  const buildOrders = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const order = buildOrder({ order_id: `${prefix}-${index}` });
      const items = order.items.map((item) => ({ ...item, product_name: `${prefix} 상품 ${index}` }));
      return { ...order, items, ...(index % 2 === 0 ? { note: 'not stored' } : {}) };
    });

  /** A body with at least this number of bytes. */
  const bodyOf = (orders: object[], bytes = 0) => {
    const body = Buffer.from(JSON.stringify({ orders }));
    return Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), ' ')]);
  };

  it.each([
    ['of 10 kB', 'kb10', bodyOf(buildOrders('kb10', 20)), {}],
    ['of 50 kB', 'kb50', bodyOf(buildOrders('kb50', 80)), {}],
    ['of 300 kB, read in a thread', 'kb300', bodyOf(buildOrders('kb300', 500)), {}],
    [
      'of 10 kB, compressed',
      'zip1',
      gzipSync(bodyOf(buildOrders('zip1', 20))),
      { 'content-encoding': 'gzip' },
    ],
    [
      'of 16 KiB, compressed',
      'zip2',
      gzipSync(bodyOf(buildOrders('zip2', 20), 16_384)),
      { 'content-encoding': 'gzip' },
    ],
  ])('Each order of a body %s is stored with its own items', async (_what, prefix, body, headers) => {
    const merchant = await flow.openMerchant();
    // Twice at the same time: what one of them frees does not belong to the other.
    const answers = await Promise.all(
      [1, 2].map(() => flow.call(syncPath, body, { key: merchant.secretKey, headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await flow.queues.settled();
    const rows = await flow.database.order.findMany({ where: { merchantId: merchant.id } });
    expect(rows).toHaveLength(Number(answers[0]?.body.data['accepted_count']));
    for (const { orderId, items } of rows)
      for (const { product_name: name } of items as { product_name: string }[])
        expect(name).toBe(`${prefix} 상품 ${orderId.slice(prefix.length + 1)}`);
  });
});
