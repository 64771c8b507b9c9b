import fc from 'fast-check';
import { arbitraryItem, arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { nested, validItem, validOrder, without } from '../../testing/valid-order.ts';
import { localOffsetOf } from '../fields/local-offset.ts';
import { compileSchema } from '../fields/schema.ts';
import { itemFields, orderFields } from './order-fields.ts';
import { MAX_ITEMS_AT_ONCE, readItem, readOrder, readOrderHead } from './read-order.ts';

const newYork = localOffsetOf('America/New_York');
const validateHead = compileSchema(orderFields);
const validateItem = compileSchema(itemFields);

function joiItem(value: unknown): unknown {
  const result = validateItem(value, newYork);
  return result.ok ? result.value : undefined;
}

function joiHead(value: unknown): unknown {
  const result = validateHead(value, newYork);
  return result.ok ? result.value : undefined;
}

/** Property order and -0 count too: what is stored is the JSON of it. */
function expectSame(quick: unknown, thorough: unknown): void {
  expect(quick).toStrictEqual(thorough);
  expect(JSON.stringify(quick)).toBe(JSON.stringify(thorough));
}

describe('the quick reading and Joi', () => {
  it('accept the same items and give the same values', () => {
    const accepted = { yes: 0, no: 0 };
    fc.assert(
      fc.property(arbitraryItem, (value) => {
        const quick = readItem(value, newYork);
        accepted[quick === undefined ? 'no' : 'yes']++;
        expectSame(quick, joiItem(value));
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(accepted.yes, accepted.no)).toBeGreaterThan(300);
  });

  it('accept the same orders and give the same values', () => {
    const accepted = { yes: 0, no: 0 };
    fc.assert(
      fc.property(arbitraryOrder, (value) => {
        const quick = readOrderHead(value, newYork);
        accepted[quick === undefined ? 'no' : 'yes']++;
        expectSame(quick, joiHead(value));
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(accepted.yes, accepted.no)).toBeGreaterThan(300);
  });

  it('agree on any value in any field of an otherwise valid order or item', () => {
    const anyValue = fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), fc.double(), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(orderFields)), anyValue, (name, value) => {
        expectSame(
          readOrderHead(validOrder({ [name]: value }), newYork),
          joiHead(validOrder({ [name]: value })),
        );
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(itemFields)), anyValue, (name, value) => {
        expectSame(readItem(validItem({ [name]: value }), newYork), joiItem(validItem({ [name]: value })));
      }),
      { numRuns: 2000 },
    );
  });

  it('agree when a field called __proto__ offers what is missing', () => {
    const { order_id, ...rest } = validOrder();
    const value = JSON.parse(
      `{"__proto__":{"order_id":"${String(order_id)}"},${JSON.stringify(rest).slice(1)}`,
    );
    expect(readOrderHead(value, newYork)).toBeUndefined();
    expect(validateHead(value, newYork)).toEqual({
      ok: false,
      errors: { order_id: { code: 'required', parameters: {} } },
    });
  });
});

describe('readOrder', () => {
  it('gives the canonical order', () => {
    expect(readOrder(validOrder(), newYork)).toStrictEqual(validOrder());
  });

  it('accepts only what the quick readings of its head and items accept', () => {
    fc.assert(
      fc.property(arbitraryOrder, (value) => {
        const order = readOrder(value, newYork);
        if (order === undefined) return;
        const items = order.items.map((_, index) =>
          readItem((value as { items: unknown[] }).items[index], newYork),
        );
        expect({ ...order, items: [] }).toEqual({ ...readOrderHead(value, newYork), items: [] });
        expect(order.items).toEqual(items);
      }),
    );
  });

  it('does not change what it reads', () => {
    const value = without(validOrder({ note: 'x', items: [without(validItem(), 'sku')] }), 'first_order');
    const before = structuredClone(value);
    readOrder(value, newYork);
    expect(value).toStrictEqual(before);
  });

  it.each([
    ['an unknown array', validOrder({ extra: [] })],
    ['an unknown object', validOrder({ extra: {} })],
    ['an unknown object in an item', validOrder({ items: [validItem(), validItem({ extra: nested(40) })] })],
    ['a field called __proto__ that holds an object', JSON.parse('{"__proto__":{}}')],
    [
      'very many items',
      validOrder({ items: Array.from({ length: MAX_ITEMS_AT_ONCE + 1 }, () => validItem()) }),
    ],
  ])('leaves an order with %s to the thorough judgement', (_, value) => {
    expect(readOrder(value, newYork)).toBeUndefined();
  });
});
