import { ordersOf, validate } from '../../testing/validation.ts';
import { validOrder } from '../../testing/valid-order.ts';
import { currencyCodes } from './currency-codes.ts';
import { readCurrency } from './currency.ts';

async function stored(...currencies: unknown[]): Promise<unknown[]> {
  const orders = currencies.map((currency, index) => validOrder({ order_id: `${index}`, currency }));
  return ordersOf(await validate({ orders })).map(({ currency }) => currency);
}

/** The warning about the currency of an order. */
async function warningOf(currency: unknown): Promise<string | undefined> {
  const result = await validate({ orders: [validOrder({ currency })] });
  if (result.kind !== 'valid') throw new Error('refused');
  return result.warnings?.warnings['orders[0].currency'];
}

describe('The currency of an order', () => {
  it.each([undefined, null, 'KRW', 'krw', 'Krw', ' KRW\n', 'ＫＲＷ', '\ufeffkrw'])(
    'is won for %p, without a warning',
    async (value) => {
      expect(readCurrency(value).currency).toBeNull();
      expect(await warningOf(value)).toBeUndefined();
    },
  );

  it.each(['₩', '￦', '원', ' 원 ', 'WON', 'won', '410', '４１０', 410])(
    'is won for %p, with a warning',
    async (value) => {
      expect(readCurrency(value).currency).toBeNull();
      expect(await warningOf(value)).toBe('must be an ISO 4217 code such as KRW; this value is read as won');
    },
  );

  it.each(['', ' ', '\u3000\t'])('is won for the empty %p, with a warning', async (value) => {
    expect(readCurrency(value).currency).toBeNull();
    expect(await warningOf(value)).toBe('must be an ISO 4217 code such as KRW; another value is ignored');
  });

  it.each([
    ['USD', 'USD'],
    ['jpy', 'JPY'],
    ['usd ', 'USD'],
    ['\u00a0Eur\n', 'EUR'],
    ['ＵＳＤ', 'USD'],
    ['ｕｓｄ', 'USD'],
    ['XCG', 'XCG'],
    ['bgn', 'BGN'],
    ['XXX', 'XXX'],
  ])('is the code for %p, without a warning', async (value, code) => {
    expect(readCurrency(value).currency).toBe(code);
    expect(await warningOf(value)).toBeUndefined();
  });

  it.each([
    ['RMB', 'RMB'],
    ['US$', 'US$'],
    ['US', 'US'],
    ['USDT', 'USDT'],
    ['KRW (won)', 'KRW (WON)'],
    ['₩1000', '₩1000'],
    ['원화', '원화'],
    ['DEM', 'DEM'],
    ['ßS', 'SSS'],
    ['840', '840'],
    [840, '840'],
    [410.5, '410.5'],
    ['0'.repeat(20), '0'.repeat(20)],
    ['😀'.repeat(20), '😀'.repeat(20)],
    ['x'.repeat(21), 'XXX'],
    ['ﷺﷺ', 'XXX'],
    ['KRW\0', 'XXX'],
    ['\ud800', 'XXX'],
    [true, 'XXX'],
    [false, 'XXX'],
    [{}, 'XXX'],
    [{ code: 'KRW' }, 'XXX'],
    [['KRW'], 'XXX'],
    [[], 'XXX'],
  ])('is another one than won for %.40j, with a warning', async (value, code) => {
    expect(readCurrency(value).currency).toBe(code);
    expect(await warningOf(value)).toBe(
      'must be an ISO 4217 code such as KRW; an order with another value earns nothing',
    );
  });

  it('is read in little time, however long it is', () => {
    expect(readCurrency(`${' '.repeat(1_000_000)}usd`)).toEqual({ currency: 'USD' });
    expect(readCurrency('ﷺ'.repeat(1_000_000)).currency).toBe('XXX');
  });

  it('is one of a list of its own, whatever this version of Node.js knows', () => {
    expect(currencyCodes.size).toBe(188);
    expect([...currencyCodes].filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
    for (const code of ['USD', 'EUR', 'JPY', 'CNY', 'VND', 'TWD', 'THB', 'XCG', 'ZWG', 'XAD', 'CLF', 'HRK'])
      expect(readCurrency(code)).toEqual({ currency: code });
  });

  it('is stored as it was read', async () => {
    expect(await stored('usd ', 'krw', undefined, '원', 'rmb', 840, {})).toEqual([
      'USD',
      null,
      null,
      null,
      'RMB',
      '840',
      'XXX',
    ]);
  });

  it('that is no code of ISO 4217 is a warning for the first one of its kind, and an error in strict handling', async () => {
    const orders = ['KRW', 'won', '원', 'RMB', 1, ''].map((currency, index) =>
      validOrder({ order_id: `${index}`, currency }),
    );
    const result = await validate({ orders });
    expect(result).toMatchObject({
      kind: 'valid',
      warnings: {
        warnings: {
          'orders[1].currency': 'must be an ISO 4217 code such as KRW; this value is read as won',
          'orders[3].currency':
            'must be an ISO 4217 code such as KRW; an order with another value earns nothing',
          'orders[5].currency': 'must be an ISO 4217 code such as KRW; another value is ignored',
        },
        orderIds: { 'orders[1]': '1', 'orders[3]': '3', 'orders[5]': '5' },
      },
    });
    const strict = await validate({ orders }, { strict: true });
    expect(strict.kind === 'invalid' && Object.keys(strict.params)).toEqual(
      [1, 2, 3, 4, 5].map((index) => `orders[${index}].currency`),
    );
  });
});
