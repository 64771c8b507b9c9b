import fc from 'fast-check';
import { acceptableBody, changedBody } from '../../testing/arbitrary-body.ts';
import { arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { limits, ordersOf } from '../../testing/validation.ts';
import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { readJson } from '../json/read-json.ts';
import { validateSyncBody } from './validate-sync-body.ts';
import { validateSyncRequest } from './validate-sync-request.ts';
import type { SyncRequestValidation } from './validate-sync-request.ts';

const validate = (json: string) => validateSyncBody(Buffer.from(json), limits);

/** The parts of a valid body, as texts. */
function textsOf(json: string): string[] {
  const validation = validate(json);
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.params));
  return validation.parts.map((part) => Buffer.concat(part.pieces).toString());
}

function decoded(json: string): SyncRequestValidation {
  const reading = readJson(Buffer.from(json));
  if (!reading.ok) throw new Error('not JSON');
  return validateSyncRequest(reading.value, limits);
}

describe('the orders of a body', () => {
  it('Orders that are stored as they are sent are taken from the body', () => {
    const items = ` {"sku":"","cancelled_at":null,"product_name":"상품","paid_amount":1,"price":1,"quantity":1,"product_id":"\\uc0c1"}`;
    const sent = JSON.stringify(validOrder()).replace(/"items":\[.*\]/, `"items":[${items}]`);
    expect(textsOf(`{"orders": [${sent} ,\n${sent.replace('ORD-1', 'ORD-2')}]}`)).toEqual([
      `[${sent} ,\n${sent.replace('ORD-1', 'ORD-2')}]`,
    ]);
  });

  it.each(['first_order', 'paid_at', 'cancelled_at', 'returned_at', 'items'])(
    'An order without %s is taken from the body',
    (name) => {
      const orders = JSON.stringify([without(validOrder(), name)]);
      expect(textsOf(`{"orders":${orders}}`)).toEqual([orders]);
    },
  );

  it.each([
    ['an unknown field', (order: string) => order.replace('{', '{"extra":"\\u0000",')],
    ['a repeated field', (order: string) => order.replace('{', '{"order_id":"\\ud800",')],
    ['an escape in a name', (order: string) => order.replace('"order_id"', '"order\\u005fid"')],
    ['a fraction', (order: string) => order.replace('18000', '18000.0')],
    ['an exponent', (order: string) => order.replace('18000', '18e3')],
    ['a negative zero', (order: string) => order.replace('"price":10000', '"price":-0')],
    ['a number of 16 digits', (order: string) => order.replace('18000', '9007199254740991')],
    ['7 digits of a second', (order: string) => order.replace('31:00+09:00', '31:00.1234567+09:00')],
    ['more whitespace than a quarter', (order: string) => order.replaceAll(',', `,\n${' '.repeat(20)}`)],
  ])('The orders of a body are printed in canonical form when one has %s', (_, change) => {
    const other = JSON.stringify(validOrder({ order_id: 'ORD-2' })).replaceAll(',"', ', "');
    const body = `{"orders":[${change(JSON.stringify(validOrder()))},${other}]}`;
    expect(textsOf(body)).toEqual([JSON.stringify(ordersOf(decoded(body)))]);
  });

  it.each([
    [
      'the sku of an item',
      (order: string) => order.replace(',"sku":"SKU-1"', ''),
      '"cancelled_at":null,"sku":""}]}',
    ],
    [
      'what is optional in an item',
      (order: string) => order.replace(',"sku":"SKU-1","cancelled_at":null', ' '),
      '"paid_amount":9000 ,"sku":"","cancelled_at":null}]}',
    ],
    [
      'an offset',
      (order: string) => order.replace('31:00+09:00', '31:00'),
      '"paid_at":"2026-03-01T12:31:00+09:00"',
    ],
  ])(
    'When %s is absent it is inserted into the order, whose other bytes are taken from the body',
    (_, change, inserted) => {
      const sent = change(JSON.stringify(validOrder())).replaceAll(',"order', ' , "order');
      const other = sent.replace('ORD-1', 'ORD-2');
      const body = `{"orders":[${sent},${other}]}`;
      const [text = ''] = textsOf(body);
      expect(text.split(inserted)).toHaveLength(3);
      expect(text).toContain(sent.slice(0, 200));
      expect(JSON.parse(text)).toEqual(ordersOf(decoded(body)));
    },
  );

  it('Ids are equal when they have the same characters, with and without escapes', () => {
    const sent = JSON.stringify(validOrder({ order_id: '주문/1', paid_amount: 2 }));
    const again = sent.replace('주문/1', '\\uc8fc문\\/1').replace('"paid_amount":2', '"paid_amount":3');
    expect(textsOf(`{"orders":[${sent},${again}]}`)).toEqual([`[${again}]`]);
  });

  it.each([
    ['before', (list: string) => `{"orders":[{}],"orders":${list}}`],
    ['after', (list: string) => `{"orders":${list},"source":1}`],
  ])('Nothing is taken from a body with a field %s its orders', (_, body) => {
    const list = JSON.stringify([validOrder()]);
    expect(textsOf(body(list.replaceAll(',"', ', "')))).toEqual([list]);
  });

  it.each([
    ...['order_id', 'member_id', 'order_amount', 'paid_amount', 'shipping_amount', 'order_date'].map(
      (name) => [`orders[0].${name}`, validOrder({ [name]: undefined, note: 'x' })] as const,
    ),
    ...['product_id', 'product_name', 'quantity', 'price', 'paid_amount'].map(
      (name) =>
        [
          `orders[0].items[0].${name}`,
          validOrder({ items: [validItem({ [name]: undefined, note: 'x' })] }),
        ] as const,
    ),
  ])('%s is required, also when an unknown field is sent in its place', (path, order) => {
    const expected = { kind: 'invalid', params: { [path]: 'is required' } };
    expect(validate(JSON.stringify({ orders: [order] }))).toMatchObject(expected);
  });

  it('A text of 255 characters may have more bytes', () => {
    const order = validOrder({ items: [validItem({ product_name: '상'.repeat(255) })] });
    expect(ordersOf(validate(JSON.stringify({ orders: [order] })))).toEqual([order]);
  });

  it('Every body that is accepted has the same orders as its decoded text', () => {
    fc.assert(
      fc.property(acceptableBody, (body) => {
        const defaults = {
          first_order: false,
          paid_at: null,
          cancelled_at: null,
          returned_at: null,
          items: [],
        };
        const orders = ordersOf(validate(body)).map((order) => ({ ...defaults, ...order }));
        expect(orders).toEqual(ordersOf(decoded(body)));
      }),
    );
  });

  it('A body in which bytes were changed, removed or repeated has the same result as its decoded text', () => {
    fc.assert(
      fc.property(changedBody, (body) => {
        const reading = readJson(body);
        const parsed = reading.ok ? validateSyncRequest(reading.value, limits) : { kind: 'invalid' as const };
        const validated = validateSyncBody(body, limits);
        expect(validated.kind).toBe(parsed.kind);
        if (parsed.kind !== 'valid') return;
        const optional = {
          first_order: false,
          paid_at: null,
          cancelled_at: null,
          returned_at: null,
          items: [],
        };
        const orders = ordersOf(validated).map((order) => ({ ...optional, ...order }));
        expect(orders).toEqual(ordersOf(parsed));
        expect({ ...validated, parts: [] }).toEqual({ ...parsed, parts: [] });
      }),
      { numRuns: 3_000 },
    );
  });

  it('Every body has the same result and the same errors as its decoded text', () => {
    fc.assert(
      fc.property(fc.array(arbitraryOrder, { maxLength: 3 }), (orders) => {
        const body = JSON.stringify({ orders });
        const [fast, full] = [validate(body), decoded(body)];
        expect({ ...fast, parts: [] }).toEqual({ ...full, parts: [] });
      }),
      { numRuns: 300 },
    );
  });
});
