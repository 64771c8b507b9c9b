import fc from 'fast-check';
import { ordersOf, validate } from '../../testing/validation.ts';
import { validItem, validOrder } from '../../testing/valid-order.ts';
import { MAX_WARNINGS } from '../fields/request-warnings.ts';

async function warningsOf(body: unknown) {
  const validation = await validate(body);
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.params));
  return validation.warnings;
}

async function refusalOf(body: unknown) {
  const validation = await validate(body, { strict: true });
  if (validation.kind !== 'invalid') throw new Error(`it is ${validation.kind}`);
  return validation;
}

describe('unknown fields of an orders/sync request', () => {
  it('A request without unknown fields has no warnings', async () => {
    expect(await warningsOf({ orders: [validOrder()] })).toBeUndefined();
  });

  it('The first field of each unknown name is listed, with the known name that it resembles', async () => {
    const misspelled = validOrder({
      order_id: '주문-2',
      canceled_at: null,
      items: [validItem(), validItem({ productID: 'p', 메모: 'x' })],
    });
    const orders = [validOrder(), misspelled, validOrder({ canceled_at: null, note: '' })];
    expect(await warningsOf({ orders, orderList: 1 })).toEqual({
      warnings: {
        orderList: 'is not a known field: did you mean orders?',
        'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
        'orders[1].items[1].productID': 'is not a known field: did you mean product_id?',
        'orders[1].items[1].메모': 'is not a known field',
        'orders[2].note': 'is not a known field',
      },
      orderIds: { 'orders[1]': '주문-2', 'orders[2]': 'ORD-1' },
    });
  });

  it(`At most ${MAX_WARNINGS} names are listed, and long names are cut`, async () => {
    const extra = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${'x'.repeat(200)}${n}`, n]));
    const listed = (await warningsOf({ orders: [validOrder({ ...extra, note: 1 })] }))?.warnings ?? {};
    // The names are the same once they are cut.
    expect(Object.keys(listed).every((path) => path.length <= 'orders[0].'.length + 100)).toBe(true);
    const short = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field ${n}`, n]));
    const some = (await warningsOf({ orders: [validOrder(short)] }))?.warnings ?? {};
    expect(Object.keys(some)).toHaveLength(MAX_WARNINGS + 1);
    expect(some.body).toBe(`has more unknown fields than the ${MAX_WARNINGS} listed here`);
  });

  it(`A warning of a value does not take the place of one of ${MAX_WARNINGS} unknown names`, async () => {
    const unknown = Object.fromEntries(Array.from({ length: MAX_WARNINGS }, (_, n) => [`field ${n}`, n]));
    const found = await warningsOf({ orders: [validOrder({ updated_at: 'yesterday', ...unknown })] });
    const listed = Object.keys(found?.warnings ?? {});
    expect(listed).toHaveLength(MAX_WARNINGS + 1);
    expect(listed).toContain('orders[0].updated_at');
    expect(listed).toContain(`orders[0].field ${MAX_WARNINGS - 1}`);
  });

  it('In strict mode each unknown field is an error, beside the other errors', async () => {
    const orders = [
      validOrder(),
      validOrder({ canceled_at: null, items: [validItem({ quantity: 0, note: 1 })] }),
    ];
    expect(await refusalOf({ orders, ['__proto__x']: 1 })).toEqual({
      kind: 'invalid',
      params: {
        __proto__x: 'is not a known field',
        'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
        'orders[1].items[0].quantity': 'must be 1 or more',
        'orders[1].items[0].note': 'is not a known field',
      },
      orderIds: { 'orders[1]': 'ORD-1' },
    });
  });

  it('In strict mode a field named __proto__ is an error like any other', async () => {
    const body = JSON.parse(`{"__proto__":1,"orders":[${JSON.stringify(validOrder())}]}`);
    const validation = await validate(body, { strict: true });
    expect(validation.kind === 'invalid' && Object.entries(validation.params)).toEqual([
      ['__proto__', 'is not a known field'],
    ]);
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
        if (strict.kind === 'invalid') expect(strict.params).toEqual(lenient.warnings?.warnings);
        expect(ordersOf(lenient)).toStrictEqual([validOrder({ items: [validItem()] })]);
      }),
    );
  });
});
