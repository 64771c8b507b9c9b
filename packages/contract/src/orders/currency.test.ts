import { validate } from '../../testing/validation.ts';
import { validOrder } from '../../testing/valid-order.ts';
import { readCurrency, unknownCurrency } from './currency.ts';

describe('The currency of an order', () => {
  it.each([undefined, null, 'KRW', 'krw', 'Krw'])('is won for %p', (value) => {
    expect(readCurrency(value)).toBeNull();
  });

  it.each([
    ['USD', 'USD'],
    ['jpy', 'JPY'],
    ['Eur', 'EUR'],
  ])('is another one for %s', (value, code) => {
    expect(readCurrency(value)).toBe(code);
  });

  it.each(['', 'WON', '₩', '원', 'US', 'USDT', 'KRW ', 410, true, {}, ['KRW'], 'ßS'])(
    'is unknown for %p',
    (value) => {
      expect(readCurrency(value)).toBe(unknownCurrency);
    },
  );

  it('is stored as its code, and as null for won', async () => {
    const orders = [
      validOrder({ currency: 'usd' }),
      validOrder({ order_id: '2', currency: 'krw' }),
      validOrder({ order_id: '3' }),
    ];
    const result = await validate({ orders });
    if (result.kind !== 'valid') throw new Error('refused');
    expect(
      (JSON.parse(result.orders.json) as { currency: unknown }[]).map(({ currency }) => currency),
    ).toEqual(['USD', null, null]);
    expect(result).not.toHaveProperty('warnings');
  });

  it('that is unknown counts as absent, with a warning for the first one, and is an error in strict handling', async () => {
    const orders = [
      validOrder(),
      validOrder({ order_id: '2', currency: 'won' }),
      validOrder({ order_id: '3', currency: 1 }),
    ];
    const message = 'must be an ISO 4217 code such as KRW; another value is ignored';
    const result = await validate({ orders });
    if (result.kind !== 'valid') throw new Error('refused');
    expect(
      (JSON.parse(result.orders.json) as { currency: unknown }[]).map(({ currency }) => currency),
    ).toEqual([null, null, null]);
    expect(result.warnings).toEqual({
      warnings: { 'orders[1].currency': message },
      orderIds: { 'orders[1]': '2' },
    });
    expect(await validate({ orders }, { strict: true })).toMatchObject({
      kind: 'invalid',
      params: { 'orders[1].currency': message, 'orders[2].currency': message },
    });
  });
});
