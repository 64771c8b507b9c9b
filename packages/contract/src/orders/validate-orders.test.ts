import fc from 'fast-check';
import { arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { ordersOf, problemsOf, validate } from '../../testing/validation.ts';

async function onlyOrder(order: unknown): Promise<unknown> {
  return ordersOf(await validate({ orders: [order] }))[0];
}

describe('the body of a sync request', () => {
  it.each([null, undefined, 'text', 1, true, [], [validOrder()]])('The body %j is refused', async (body) => {
    expect(await validate(body)).toEqual({
      kind: 'invalid',
      params: { body: 'must be a JSON object' },
      orderIds: {},
    });
  });

  it.each([
    [{}, 'is required'],
    [{ orders: null }, 'must not be null'],
    [{ orders: {} }, 'must be an array'],
    [{ orders: 'x' }, 'must be an array'],
    [{ orders: [] }, 'must contain at least 1 order'],
  ])('The body %j is refused', async (body, message) => {
    expect(await validate(body)).toEqual({ kind: 'invalid', params: { orders: message }, orderIds: {} });
  });

  it('Orders that are inherited from __proto__ do not count', async () => {
    const body = JSON.parse(`{"__proto__":{"orders":[${JSON.stringify(validOrder())}]}}`);
    expect(await validate(body)).toEqual({
      kind: 'invalid',
      params: { orders: 'is required' },
      orderIds: {},
    });
  });

  it('Too many orders are refused before any is validated', async () => {
    expect(await validate({ orders: Array.from({ length: 1_001 }, () => 1) })).toEqual({
      kind: 'invalid',
      params: { orders: 'must contain at most 1000 orders: send the others in further requests' },
      orderIds: {},
    });
  });

  it('The maximum number of orders is accepted', async () => {
    const orders = Array.from({ length: 1_000 }, (_, index) => validOrder({ order_id: `${index}` }));
    expect(await validate({ orders })).toMatchObject({ kind: 'valid', accepted: 1_000 });
  });

  const items = (length: number) => Array.from({ length }, () => validItem());

  it('Orders with too many products, and too many products in all, are refused before any is validated', async () => {
    const orders = Array.from({ length: 9 }, (_, index) => ({ order_id: `${index}`, items: items(1_000) }));
    const { params, orderIds } = (await validate({
      orders: [{}, ...orders, { order_id: 'large', items: items(1_001) }],
    })) as { params: object; orderIds: object };
    expect(params).toEqual({
      orders: 'must contain at most 10000 products in all: send some of the orders in further requests',
      'orders[10].items':
        'must contain at most 1000 products: combine equal products with their quantity, or send several orders',
    });
    expect(orderIds).toEqual({ 'orders[10]': 'large' });
  });

  it('The maximum number of products is accepted', async () => {
    const orders = Array.from({ length: 10 }, (_, index) =>
      validOrder({ order_id: `${index}`, items: items(1_000) }),
    );
    expect(await validate({ orders })).toMatchObject({ kind: 'valid', accepted: 10 });
  });

  it('An unknown time zone throws a RangeError', async () => {
    await expect(validate({ orders: [validOrder()] }, { timeZone: 'Mars/Olympus' })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('a valid order', () => {
  it('Every known field is kept', async () => {
    expect(await onlyOrder(validOrder())).toStrictEqual(validOrder());
  });

  it('Absent fields of an order get their defaults', async () => {
    const names = ['first_order', 'paid_at', 'cancelled_at', 'returned_at', 'items'];
    const bare = names.reduce(without, validOrder());
    const defaults = { first_order: false, paid_at: null, cancelled_at: null, returned_at: null, items: [] };
    expect(await onlyOrder(bare)).toStrictEqual(validOrder(defaults));
  });

  it('Absent fields of an item get their defaults', async () => {
    const item = ['sku', 'cancelled_at'].reduce(without, validItem());
    const items = [validItem({ sku: '', cancelled_at: null })];
    expect(await onlyOrder(validOrder({ items: [item] }))).toStrictEqual(validOrder({ items }));
  });

  it('Unknown fields are dropped at every level', async () => {
    const order = validOrder({ extra: 1, deep: { a: [1] }, items: [validItem({ extra: { b: [] } })] });
    const validation = await validate({ orders: [order], meta: { page: [1] }, version: 2 });
    expect(ordersOf(validation)).toStrictEqual([validOrder()]);
  });

  it('A field named __proto__ does not change the prototype', async () => {
    const body = JSON.parse(`{"orders":[{"__proto__":{"x":1},${JSON.stringify(validOrder()).slice(1)}]}`);
    const validation = await validate(body);
    expect(ordersOf(validation)).toStrictEqual([validOrder()]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('An amount of -0 becomes 0', async () => {
    const order = (await onlyOrder(
      JSON.parse(JSON.stringify(validOrder()).replace('18000', '-0')),
    )) as object;
    expect(order).toStrictEqual(validOrder({ paid_amount: 0 }));
  });

  it('Date-times without an offset are in the time zone of the merchant', async () => {
    const items = [validItem({ cancelled_at: '2026-03-01T10:00' })];
    const order = validOrder({
      paid_at: '2026-03-01T10:00:00',
      cancelled_at: '2026-07-01T10:00:00',
      returned_at: '2026-03-01T10:00:00.1234567',
      items,
    });
    const validation = await validate({ orders: [order] }, { timeZone: 'America/New_York' });
    expect(ordersOf(validation)).toMatchObject([
      {
        paid_at: '2026-03-01T10:00:00-05:00',
        cancelled_at: '2026-07-01T10:00:00-04:00',
        returned_at: '2026-03-01T10:00:00.123456-05:00',
        items: [{ cancelled_at: '2026-03-01T10:00-05:00' }],
      },
    ]);
  });
});

describe('an order sent twice in one request', () => {
  it('An order that is sent twice counts twice and is kept as sent last', async () => {
    const orders = [
      validOrder({ paid_amount: 1 }),
      validOrder({ order_id: 'other' }),
      validOrder({ paid_amount: 2 }),
    ];
    const validation = await validate({ orders });
    expect(validation).toMatchObject({ kind: 'valid', accepted: 3 });
    expect(ordersOf(validation).map((order) => [order['order_id'], order['paid_amount']])).toEqual([
      ['ORD-1', 2],
      ['other', 18000],
    ]);
  });

  it('A request is refused when only the first of two versions of an order is invalid', async () => {
    const orders = [validOrder({ paid_amount: -1 }), validOrder()];
    expect(await problemsOf({ orders })).toEqual({ 'orders[0].paid_amount': 'must be 0 or more' });
  });
});

describe('an order_id with outer blanks or invisible characters', () => {
  const forms = [' A-1', 'A-1 ', '\ufeffA-1', 'A-1\u200b', 'A\u200d-1', 'A-1\n', 'A\u00ad-1', '\u3000A-1'];

  it.each([{}, { strict: true }])(
    'It is kept as it is, as an order of its own, with a warning for the first one that shows it with escapes (%j)',
    async (options) => {
      const orders = ['A-1', ...forms].map((order_id) => validOrder({ order_id }));
      const validation = await validate({ orders }, options);
      expect(ordersOf(validation).map(({ order_id }) => order_id)).toEqual(['A-1', ...forms]);
      expect(validation).toMatchObject({
        warnings: {
          warnings: {
            'orders[1].order_id':
              'has outer blanks or invisible characters, which make it another id: "\\u0020A-1"',
          },
          orderIds: { 'orders[1]': ' A-1' },
        },
      });
    },
  );

  it('Each of its forms has the warning', async () => {
    for (const order_id of forms) {
      const validation = await validate({ orders: [validOrder({ order_id })] });
      expect(Object.keys((validation as { warnings: { warnings: object } }).warnings.warnings)).toEqual([
        'orders[0].order_id',
      ]);
    }
  });
});

describe('invalid fields', () => {
  it('All invalid fields are named by their paths', async () => {
    const orders = [
      validOrder(),
      null,
      validOrder({
        order_id: '',
        first_order: 'yes',
        order_date: '2026-03-01T10:00:00',
        items: [validItem(), validItem({ quantity: 0, price: null, product_name: 'x'.repeat(256) }), 7],
      }),
      without(validOrder({ items: {} }), 'member_id'),
    ];
    expect(await problemsOf({ orders })).toEqual({
      'orders[1]': 'must be a JSON object',
      'orders[2].order_id': 'must not be empty',
      'orders[2].first_order': 'must be true or false',
      'orders[2].order_date': 'must have a UTC offset, for example +09:00',
      'orders[2].items[1].quantity': 'must be 1 or more',
      'orders[2].items[1].price': 'must not be null',
      'orders[2].items[1].product_name': 'must be at most 255 characters',
      'orders[2].items[2]': 'must be a JSON object',
      'orders[3].items': 'must be an array',
      'orders[3].member_id': 'is required',
    });
  });

  it('A request is invalid exactly when one of its orders is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryOrder, { minLength: 1, maxLength: 4 }), async (orders) => {
        const validation = await validate({ orders });
        const expected: Record<string, string> = {};
        for (const [index, order] of orders.entries()) {
          for (const [path, message] of Object.entries(await problemsOf({ orders: [order] }))) {
            expected[path.replace('orders[0]', `orders[${index}]`)] = message;
          }
        }
        if (validation.kind === 'valid') expect(expected).toEqual({});
        else expect(validation.params).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
