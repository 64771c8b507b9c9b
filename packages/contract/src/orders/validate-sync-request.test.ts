import fc from 'fast-check';
import { arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { validateSyncRequest, type SyncRequestValidation } from './validate-sync-request.ts';

function judge(body: unknown, maxOrders = 5000, timeZone = 'Asia/Seoul'): Promise<SyncRequestValidation> {
  return validateSyncRequest(body, { maxOrders, timeZone });
}

async function problemsOf(body: unknown): Promise<Record<string, string>> {
  const validation = await judge(body);
  return validation.kind === 'valid' ? {} : validation.params;
}

async function onlyOrder(order: unknown): Promise<unknown> {
  const validation = await judge({ orders: [order] });
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.params));
  return validation.orders[0];
}

describe('the envelope', () => {
  it.each([null, undefined, 'text', 1, true, [], [validOrder()]])('refuses %j as a body', async (body) => {
    expect(await judge(body)).toEqual({ kind: 'invalid', params: { body: 'must be a JSON object' } });
  });

  it.each([
    [{}, 'is required'],
    [{ orders: null }, 'must not be null'],
    [{ orders: {} }, 'must be an array'],
    [{ orders: 'x' }, 'must be an array'],
    [{ orders: [] }, 'must contain at least 1 order'],
  ])('refuses %j', async (body, message) => {
    expect(await judge(body)).toEqual({ kind: 'invalid', params: { orders: message } });
  });

  it('takes the orders only from a field of its own', async () => {
    const body = JSON.parse(`{"__proto__":{"orders":[${JSON.stringify(validOrder())}]}}`);
    expect(await judge(body)).toEqual({ kind: 'invalid', params: { orders: 'is required' } });
  });

  it('refuses too many orders before it looks at any', async () => {
    expect(await judge({ orders: [1, 2, 3] }, 2)).toEqual({
      kind: 'too_many',
      params: { orders: 'must contain at most 2 orders' },
    });
  });

  it('accepts as many orders as are allowed', async () => {
    expect(await judge({ orders: [validOrder(), validOrder({ order_id: '2' })] }, 2)).toMatchObject({
      kind: 'valid',
      count: 2,
    });
  });

  it('throws for a time zone that does not exist', async () => {
    await expect(judge({ orders: [validOrder()] }, 1, 'Mars/Olympus')).rejects.toThrow(RangeError);
  });
});

describe('a valid order', () => {
  it('keeps every field', async () => {
    expect(await onlyOrder(validOrder())).toStrictEqual(validOrder());
  });

  it('gets its defaults', async () => {
    const names = ['first_order', 'paid_at', 'cancelled_at', 'returned_at', 'items'];
    const bare = names.reduce(without, validOrder());
    const defaults = { first_order: false, paid_at: null, cancelled_at: null, returned_at: null, items: [] };
    expect(await onlyOrder(bare)).toStrictEqual(validOrder(defaults));
  });

  it('gets the defaults of its items', async () => {
    const item = ['sku', 'cancelled_at'].reduce(without, validItem());
    const items = [validItem({ sku: '', cancelled_at: null })];
    expect(await onlyOrder(validOrder({ items: [item] }))).toStrictEqual(validOrder({ items }));
  });

  it('loses unknown fields at every level', async () => {
    const order = validOrder({ extra: 1, deep: { a: [1] }, items: [validItem({ extra: { b: [] } })] });
    const validation = await judge({ orders: [order], meta: { page: [1] }, version: 2 });
    expect(validation).toStrictEqual({ kind: 'valid', orders: [validOrder()], count: 1 });
  });

  it('gets no other prototype from a field called __proto__', async () => {
    const body = JSON.parse(`{"orders":[{"__proto__":{"x":1},${JSON.stringify(validOrder()).slice(1)}]}`);
    const validation = await judge(body);
    expect(validation).toStrictEqual({ kind: 'valid', orders: [validOrder()], count: 1 });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('stores 0 for -0', async () => {
    const order = (await onlyOrder(
      JSON.parse(JSON.stringify(validOrder()).replace('18000', '-0')),
    )) as object;
    expect(order).toStrictEqual(validOrder({ paid_amount: 0 }));
  });

  it('takes dates without an offset in the time zone of the merchant', async () => {
    const items = [validItem({ cancelled_at: '2026-03-01T10:00' })];
    const order = validOrder({
      paid_at: '2026-03-01T10:00:00',
      cancelled_at: '2026-07-01T10:00:00',
      returned_at: '2026-03-01T10:00:00.1234567',
      items,
    });
    const validation = await judge({ orders: [order] }, 1, 'America/New_York');
    expect(validation).toMatchObject({
      orders: [
        {
          paid_at: '2026-03-01T10:00:00-05:00',
          cancelled_at: '2026-07-01T10:00:00-04:00',
          returned_at: '2026-03-01T10:00:00.123456-05:00',
          items: [{ cancelled_at: '2026-03-01T10:00-05:00' }],
        },
      ],
    });
  });
});

describe('an order sent twice in one request', () => {
  it('counts twice and is kept as last sent', async () => {
    const orders = [
      validOrder({ paid_amount: 1 }),
      validOrder({ order_id: 'other' }),
      validOrder({ paid_amount: 2 }),
    ];
    const validation = await judge({ orders });
    expect(validation).toMatchObject({ kind: 'valid', count: 3 });
    const kept = validation.kind === 'valid' ? validation.orders : [];
    expect(kept.map((order) => [order.order_id, order.paid_amount])).toEqual([
      ['ORD-1', 2],
      ['other', 18000],
    ]);
  });

  it('is refused when only the first of the two is bad', async () => {
    const orders = [validOrder({ paid_amount: -1 }), validOrder()];
    expect(await problemsOf({ orders })).toEqual({ 'orders[0].paid_amount': 'must be 0 or more' });
  });
});

describe('bad fields', () => {
  it('are all named, by their paths', async () => {
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
      'orders[2].order_date': 'must carry a UTC offset, for example +09:00',
      'orders[2].items[1].quantity': 'must be 1 or more',
      'orders[2].items[1].price': 'must not be null',
      'orders[2].items[1].product_name': 'must be at most 255 characters',
      'orders[2].items[2]': 'must be a JSON object',
      'orders[3].items': 'must be an array',
      'orders[3].member_id': 'is required',
    });
  });

  it('make a request invalid exactly when one of its orders alone is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryOrder, { minLength: 1, maxLength: 4 }), async (orders) => {
        const validation = await judge({ orders });
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
