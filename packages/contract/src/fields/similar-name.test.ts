import fc from 'fast-check';
import { itemFields, orderFields } from '../orders/order.ts';
import { similarName } from './similar-name.ts';

const known = Object.keys(orderFields);

describe('similarName', () => {
  it.each([
    ['canceled_at', 'cancelled_at'],
    ['cancelledAt', 'cancelled_at'],
    ['paidAt', 'paid_at'],
    ['paid-at', 'paid_at'],
    ['ORDER_ID', 'order_id'],
    ['oder_id', 'order_id'],
    ['member', undefined],
    ['firstorder', 'first_order'],
    ['item', 'items'],
    ['note', undefined],
    ['id', undefined],
    ['', undefined],
    ['channel', undefined],
    ['__proto__', undefined],
  ])('The name %p is taken for %p', (name, expected) => {
    expect(similarName(name, known)).toBe(expected);
  });

  it('A known name with one changed letter is recognized, or is nearer to another', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...known, ...Object.keys(itemFields)).filter((name) => name.length >= 5),
        fc.nat(),
        (name, at) => {
          const changed = name.slice(0, at % name.length) + 'q' + name.slice((at % name.length) + 1);
          expect(similarName(changed, [...known, ...Object.keys(itemFields)])).toBeDefined();
        },
      ),
    );
  });

  it('A name of any length and content is answered', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (name) => {
        const similar = similarName(name, known);
        expect(similar === undefined || known.includes(similar)).toBe(true);
      }),
    );
    expect(similarName('x'.repeat(10_000_000), known)).toBeUndefined();
  });
});
