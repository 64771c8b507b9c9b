import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { ordersOf, paramsOf, problemsOf, validate, warningsOf } from '../../testing/validation.ts';
import { MAX_NAMED_FIELDS } from '../fields/request-errors.ts';
import { MAX_WARNINGS } from '../fields/request-warnings.ts';
import { foldText } from '../fields/fold-text.ts';
import { validateOrders } from './validate-orders.ts';

describe('The validation of a request', () => {
  async function onlyOrder(order: unknown): Promise<unknown> {
    return ordersOf(await validate({ orders: [order] }))[0];
  }

  describe('the body of a sync request', () => {
    it.each([null, undefined, 'text', 1, true, [], [validOrder()]])(
      'The body %j is refused',
      async (body) => {
        expect(await problemsOf(body)).toEqual({ body: 'must be a JSON object' });
      },
    );

    it.each([
      [{}, 'is required'],
      [{ orders: null }, 'must not be null'],
      [{ orders: {} }, 'must be an array'],
      [{ orders: 'x' }, 'must be an array'],
      [{ orders: [] }, 'must contain at least 1 order'],
    ])('The body %j is refused', async (body, message) => {
      expect(await problemsOf(body)).toEqual({ orders: message });
    });

    it('Orders that are inherited from __proto__ do not count', async () => {
      const body = JSON.parse(`{"__proto__":{"orders":[${JSON.stringify(validOrder())}]}}`);
      expect(await problemsOf(body)).toEqual({ orders: 'is required' });
    });

    it('Too many orders are refused before any is validated', async () => {
      expect(await problemsOf({ orders: Array.from({ length: 1_001 }, () => 1) })).toEqual({
        orders: 'must contain at most 1000 orders: send the others in further requests',
      });
    });

    it('The maximum number of orders is accepted', async () => {
      const orders = Array.from({ length: 1_000 }, (_, index) => validOrder({ order_id: `${index}` }));
      expect(await validate({ orders })).toMatchObject({ kind: 'valid', accepted: 1_000 });
    });

    const items = (length: number) => Array.from({ length }, () => validItem());

    it('Orders with too many products, and too many products in all, are refused before any is validated', async () => {
      const orders = Array.from({ length: 9 }, (_, index) => ({ order_id: `${index}`, items: items(1_000) }));
      const validation = await validate({
        orders: [{}, ...orders, { order_id: 'large', items: items(1_001) }],
      });
      expect(paramsOf(validation)).toEqual({
        orders: 'must contain at most 10000 products in all: send some of the orders in further requests',
        'orders[10].items':
          'must contain at most 1000 products: combine equal products with their quantity, or send several orders',
      });
      expect(validation).toMatchObject({ orderIds: { 'orders[10]': 'large' } });
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
      const defaults = {
        first_order: false,
        paid_at: null,
        cancelled_at: null,
        returned_at: null,
        items: [],
      };
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
        expect(warningsOf(validation)).toEqual({
          'orders[1].order_id':
            'has outer blanks or invisible characters, which make it another id: "\\u0020A-1"',
        });
        expect(validation).toMatchObject({ warnings: { orderIds: { 'orders[1]': ' A-1' } } });
      },
    );

    it('Each of its forms has the warning', async () => {
      for (const order_id of forms) {
        const validation = await validate({ orders: [validOrder({ order_id })] });
        expect(Object.keys(warningsOf(validation) ?? {})).toEqual(['orders[0].order_id']);
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
          else expect(paramsOf(validation)).toEqual(expected);
        }),
        { numRuns: propertyCases(300) },
      );
    });
  });
});

describe('unknown fields of an orders/sync request', () => {
  const listed = async (body: unknown) => warningsOf(await validate(body)) ?? {};

  it('A request without unknown fields has no warnings', async () => {
    expect(await validate({ orders: [validOrder()] })).not.toHaveProperty('warnings');
  });

  it('The first field of each unknown name is listed, with the known name that it resembles', async () => {
    const misspelled = validOrder({
      order_id: '주문-2',
      canceled_at: null,
      items: [validItem(), validItem({ productID: 'p', 메모: 'x' })],
    });
    const orders = [validOrder(), misspelled, validOrder({ canceled_at: null, note: '' })];
    const validation = await validate({ orders, orderList: 1 });
    expect(warningsOf(validation)).toEqual({
      orderList: 'is not a known field: did you mean orders?',
      'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
      'orders[1].items[1].productID': 'is not a known field: did you mean product_id?',
      'orders[1].items[1].메모': 'is not a known field',
      'orders[2].note': 'is not a known field',
    });
    const orderIds = { 'orders[1]': '주문-2', 'orders[2]': 'ORD-1' };
    expect(validation).toMatchObject({ warnings: { orderIds } });
  });

  it(`At most ${MAX_WARNINGS} names are listed, and long names are cut`, async () => {
    const extra = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${'x'.repeat(200)}${n}`, n]));
    const cut = await listed({ orders: [validOrder({ ...extra, note: 1 })] });
    // The names are the same once they are cut.
    expect(Object.keys(cut).every((path) => path.length <= 'orders[0].'.length + 100)).toBe(true);
    const short = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field ${n}`, n]));
    const some = await listed({ orders: [validOrder(short)] });
    expect(Object.keys(some)).toHaveLength(MAX_WARNINGS + 1);
    expect(some['body']).toBe(`has more unknown fields than the ${MAX_WARNINGS} listed here`);
  });

  it(`A warning of a value does not take the place of one of ${MAX_WARNINGS} unknown names`, async () => {
    const unknown = Object.fromEntries(Array.from({ length: MAX_WARNINGS }, (_, n) => [`field ${n}`, n]));
    const paths = Object.keys(
      await listed({ orders: [validOrder({ updated_at: 'yesterday', ...unknown })] }),
    );
    expect(paths).toHaveLength(MAX_WARNINGS + 1);
    expect(paths).toContain('orders[0].updated_at');
    expect(paths).toContain(`orders[0].field ${MAX_WARNINGS - 1}`);
  });

  it('In strict mode each unknown field is an error, beside the other errors', async () => {
    const orders = [
      validOrder(),
      validOrder({ canceled_at: null, items: [validItem({ quantity: 0, note: 1 })] }),
    ];
    const validation = await validate({ orders, ['__proto__x']: 1 }, { strict: true });
    expect(paramsOf(validation)).toEqual({
      __proto__x: 'is not a known field',
      'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
      'orders[1].items[0].quantity': 'must be 1 or more',
      'orders[1].items[0].note': 'is not a known field',
    });
    expect(validation).toMatchObject({ orderIds: { 'orders[1]': 'ORD-1' } });
  });

  it('In strict mode a field named __proto__ is an error like any other', async () => {
    const body = JSON.parse(`{"__proto__":1,"orders":[${JSON.stringify(validOrder())}]}`);
    const validation = await validate(body, { strict: true });
    expect(Object.entries(paramsOf(validation) ?? {})).toEqual([['__proto__', 'is not a known field']]);
  });

  it('Errors name the id of their order when it is valid', async () => {
    const orders = [validOrder({ order_id: 5 }), { order_id: 'A' }, null, validOrder({ paid_amount: -1 })];
    const validation = await validate({ orders });
    expect(validation).toMatchObject({
      kind: 'invalid',
      orderIds: { 'orders[1]': 'A', 'orders[3]': 'ORD-1' },
    });
    expect(Object.keys((validation as { orderIds: object }).orderIds)).toHaveLength(2);
  });

  it('A request is refused in strict mode exactly when it has warnings otherwise, and its orders are the same', async () => {
    const name = fc.constantFrom(
      'paid_at',
      'sku',
      'order_id',
      'items',
      'x',
      '한',
      '__proto__',
      'canceled_at',
      '1',
    );
    const extra = fc.dictionary(name, fc.constantFrom(null, 1, 'a'), { maxKeys: 2, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(extra, extra, fc.boolean(), async (ofOrder, ofItem, escaped) => {
        // Known fields of the same names count last.
        const order = { ...ofOrder, ...validOrder({ items: [{ ...ofItem, ...validItem() }] }) };
        const json = JSON.stringify({ orders: [order], ...(escaped ? { 'a\n': 1 } : {}) });
        const body = JSON.parse(json) as unknown;
        const lenient = await validate(body);
        const strict = await validate(body, { strict: true });
        if (lenient.kind !== 'valid') throw new Error(json);
        expect(strict.kind).toBe(lenient.warnings ? 'invalid' : 'valid');
        expect(paramsOf(strict)).toEqual(warningsOf(lenient));
        expect(ordersOf(lenient)).toStrictEqual([validOrder({ items: [validItem()] })]);
      }),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('big requests', () => {
  function many<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  it('A request of one order with 1,000 items is accepted', async () => {
    const items = many(1_000, () => validItem());
    const validation = await validate({ orders: [validOrder({ items })] });
    expect(JSON.stringify(ordersOf(validation))).toBe(JSON.stringify([validOrder({ items })]));
  });

  it('The validation of 1,000 invalid items stops at 1,000 invalid fields, and says that there are more', async () => {
    const items = many(1_000, () => validItem({ quantity: 0, price: '1' }));
    const params = await problemsOf({ orders: [validOrder({ items })] });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
    expect(params['orders[0].items[499].price']).toBe('must be an integer');
    expect(params['orders[0].items[500].quantity']).toBeUndefined();
    expect(params.body).toBe('has more invalid fields than the 1000 listed here');
  });

  it('The validation of 1,000 invalid orders stops at 1,000 invalid fields', async () => {
    const params = await problemsOf({ orders: many(1_000, () => ({})) });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
  });

  it('A request with exactly 1,000 invalid fields does not report more errors', async () => {
    const params = await problemsOf({
      orders: many(500, () => validOrder({ paid_amount: -1, member_id: '' })),
    });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS);
    expect(params.body).toBeUndefined();
  });

  it('A request with an unknown field of a million values is accepted', async () => {
    const order = validOrder({ extra: many(1_000_000, () => 0) });
    expect(await validate({ orders: [order] })).toMatchObject({ kind: 'valid', accepted: 1 });
  });

  it('The event loop has turns while a big request is validated', async () => {
    const orders = many(10, (index) =>
      validOrder({ order_id: `${index}`, items: many(1_000, () => validItem()) }),
    );
    let iterations = 0;
    let done = false;
    const count = () => {
      iterations += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await validate({ orders });
    done = true;
    // A turn after every 5 ms of work, and 10,000 products are at least 30 ms of it on any machine.
    expect(iterations).toBeGreaterThan(5);
  });

  describe('labels', () => {
    const onlyOrder = async (order: unknown) => ordersOf(await validate({ orders: [order] }))[0];
    const labelled = (labels: unknown, ofProduct?: unknown) =>
      validOrder({ labels, items: [{ ...validItem(), labels: ofProduct }] });

    it('Labels are folded, and absent when there are none', async () => {
      expect(await onlyOrder(labelled([' Sale', 'ＡＰＰ', 'sale', 'I'], 'Gift-Card'))).toMatchObject({
        labels: ['app', 'i', 'sale'],
        items: [{ labels: ['gift-card'] }],
      });
      const none = (await onlyOrder(labelled(null, []))) as { items: object[] };
      expect([Object.keys(none), Object.keys(none.items[0] ?? {})].flat()).not.toContain('labels');
    });

    it('What cannot be read is left out with a warning, and is an error in strict handling', async () => {
      const order = labelled(['a', 7, ...Array<string>(20).fill('b')], { gift: true });
      const result = await validate({ orders: [order] });
      expect(ordersOf(result)).toMatchObject([{ labels: ['a', 'b'] }]);
      const problems = {
        'orders[0].labels[1]': 'must be a string',
        'orders[0].labels': 'must contain at most 20 items',
        'orders[0].items[0].labels': 'must be an array',
      };
      expect(warningsOf(result)).toEqual(problems);
      expect(paramsOf(await validateOrders({ orders: [order] }, { timeZone: 'UTC', strict: true }))).toEqual(
        problems,
      );
    });

    it('Folding a folded text changes nothing', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), (text) => {
          expect(foldText(foldText(text))).toBe(foldText(text));
        }),
        { numRuns: propertyCases(300) },
      );
    });
  });
});
