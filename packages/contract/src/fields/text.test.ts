import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { itemFields, orderFields } from '../orders/order.ts';
import { escapeInvisible, withoutInvisible } from './invisible.ts';
import { similarName } from './similar-name.ts';
import { textProblem } from './text.ts';

describe('textProblem', () => {
  it.each([
    ['one character', 'x'],
    ['255 characters', 'x'.repeat(255)],
    ['255 emoji, which are 510 UTF-16 units', '😀'.repeat(255)],
    ['blanks', '   '],
    ['control characters other than NUL', '\u0001\n\t\u007f'],
    ['a non-character', '\uffff'],
  ])('A string with %s is accepted', (_, text) => {
    expect(textProblem(text, 1, 255)).toBeUndefined();
  });

  it.each([
    ['no characters', '', 'empty'],
    ['256 characters', 'x'.repeat(256), 'too_long'],
    ['256 emoji', '😀'.repeat(256), 'too_long'],
    ['255 emoji and a letter', '😀'.repeat(255) + 'x', 'too_long'],
    ['10 million characters', 'x'.repeat(10_000_000), 'too_long'],
    ['NUL', 'a\0b', 'nul'],
    ['a high surrogate alone', 'a\ud83d', 'lone_surrogate'],
    ['a low surrogate alone', '\ude00a', 'lone_surrogate'],
    ['a pair in the wrong order', '\ude00\ud83d', 'lone_surrogate'],
  ])('A string with %s is refused', (_, text, problem) => {
    expect(textProblem(text, 1, 255)).toBe(problem);
  });

  it('An empty string is accepted when the minimum length is 0', () => {
    expect(textProblem('', 0, 255)).toBeUndefined();
  });

  it('The length is counted in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const tooLong = textProblem(text, 0, 20) === 'too_long';
        expect(tooLong).toBe(Array.from(text).length > 20);
      }),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('Invisible characters of a text', () => {
  it.each([
    [' A-1', '\\u0020A-1'],
    ['A-1 \t', 'A-1\\u0020\\u0009'],
    ['\u3000A 1\u00a0', '\\u3000A 1\\u00a0'],
    ['\ufeffA-1', '\\ufeffA-1'],
    ['A\u200b-\u200d1', 'A\\u200b-\\u200d1'],
    ['A\u00ad-1\u202e', 'A\\u00ad-1\\u202e'],
    ['A\n1\r\n', 'A\\u000a1\\u000d\\u000a'],
    ['A\u{e0041}', 'A\\u{e0041}'],
    ['\u3164주문', '\\u3164주문'],
    [' ', '\\u0020'],
    [' \u200b ', '\\u0020\\u200b\\u0020'],
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeInvisible(text)).toBe(shown);
  });

  it.each(['A-1', 'A 1', '주문 1', '😀', 'é', '\\u0020', '1'])('%j has none', (text) => {
    expect(escapeInvisible(text)).toBeUndefined();
    expect(withoutInvisible(text)).toBe(text);
  });

  it('are left out, and blanks stay', () => {
    expect(withoutInvisible(' \ufeffa\u200b \u00adb\t')).toBe(' a b');
  });
});

describe('similarName', () => {
  const known = Object.keys(orderFields);

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
      { numRuns: propertyCases(100) },
    );
    expect(similarName('x'.repeat(10_000_000), known)).toBeUndefined();
  });
});
