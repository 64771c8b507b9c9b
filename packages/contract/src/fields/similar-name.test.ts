import fc from 'fast-check';
import { itemFields, orderFields } from '../orders/order.ts';
import { similarName } from './similar-name.ts';

const known = Object.keys(orderFields);

describe('similarName', () => {
  it.each([
    ['canceled_at', 'cancelled_at'],
    ['cancelledAt', 'cancelled_at'],
    ['refunded_at', 'returned_at'],
    ['refundedAt', 'returned_at'],
    ['paidAt', 'paid_at'],
    ['paid-at', 'paid_at'],
    ['ORDER_ID', 'order_id'],
    ['order_Id', 'order_id'],
    ['orderNumber', 'order_id'],
    ['userId', 'member_id'],
    ['shipping_fee', 'shipping_amount'],
    ['item', 'items'],
    ['firstorder', 'first_order'],
    ['oder_id', undefined],
    ['unit_price', undefined],
    ['note', undefined],
    ['id', undefined],
    ['', undefined],
    ['channel', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
  ])('The name %p of an order is taken for %p', (name, expected) => {
    expect(similarName(name, known)).toBe(expected);
  });

  it('A name is taken only for a field that its object has', () => {
    expect(similarName('unitPrice', Object.keys(itemFields))).toBe('price');
    expect(similarName('userId', ['user_id', 'referral_code'])).toBe('user_id');
    expect(similarName('memberId', ['user_id', 'referral_code'])).toBe('user_id');
    expect(similarName('refunded_at', Object.keys(itemFields))).toBeUndefined();
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
