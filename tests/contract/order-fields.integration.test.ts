import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

type Fields = Record<string, unknown>;

/** A required field is left out by `undefined`: JSON has no such value. */
const seoul = '2026-03-01T12:30:00+09:00';
const inUtc = '2026-03-01T03:30:00.000000Z';

describe('The fields of an order', () => {
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
    shop = await flow.openMerchant();
  });
  afterAll(() => flow.close());

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
