import fc from 'fast-check';
import { arbitraryItem, arbitraryOrder } from '../../testing/arbitrary-order.ts';
import { nested, validItem, validOrder, without } from '../../testing/valid-order.ts';
import { compileSchema } from '../fields/schema.ts';
import { localOffsetOf } from '../fields/time-zone.ts';
import { itemFields, orderFields } from './order.ts';
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

/** Compares the order of properties and -0 too, because the JSON of the value is stored. */
function expectSame(fast: unknown, full: unknown): void {
  expect(fast).toStrictEqual(full);
  expect(JSON.stringify(fast)).toBe(JSON.stringify(full));
}

describe('the fast readers and Joi', () => {
  it('Both accept the same items and return the same values', () => {
    const accepted = { yes: 0, no: 0 };
    fc.assert(
      fc.property(arbitraryItem, (value) => {
        const fast = readItem(value, newYork);
        accepted[fast === undefined ? 'no' : 'yes']++;
        expectSame(fast, joiItem(value));
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(accepted.yes, accepted.no)).toBeGreaterThan(300);
  });

  it('Both accept the same orders and return the same values', () => {
    const accepted = { yes: 0, no: 0 };
    fc.assert(
      fc.property(arbitraryOrder, (value) => {
        const fast = readOrderHead(value, newYork);
        accepted[fast === undefined ? 'no' : 'yes']++;
        expectSame(fast, joiHead(value));
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(accepted.yes, accepted.no)).toBeGreaterThan(300);
  });

  it('Both agree on any value in any field of an otherwise valid order or item', () => {
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

  it('Both ignore a field named __proto__ that holds a missing field', () => {
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
  it('The canonical order is returned', () => {
    expect(readOrder(validOrder(), newYork)).toStrictEqual(validOrder());
  });

  it('Only orders whose head and items are accepted separately are accepted', () => {
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

  it('The order that is read is not changed', () => {
    const value = without(validOrder({ note: 'x', items: [without(validItem(), 'sku')] }), 'first_order');
    const before = structuredClone(value);
    readOrder(value, newYork);
    expect(value).toStrictEqual(before);
  });

  it.each([
    ['an unknown array', validOrder({ extra: [] })],
    ['an unknown object', validOrder({ extra: {} })],
    ['an unknown object in an item', validOrder({ items: [validItem(), validItem({ extra: nested(40) })] })],
    ['a field named __proto__ that holds an object', JSON.parse('{"__proto__":{}}')],
    [
      'very many items',
      validOrder({ items: Array.from({ length: MAX_ITEMS_AT_ONCE + 1 }, () => validItem()) }),
    ],
  ])('An order with %s is left to the full validation', (_, value) => {
    expect(readOrder(value, newYork)).toBeUndefined();
  });
});
