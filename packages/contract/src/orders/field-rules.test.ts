import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { ordersOf, paramsOf, validate, warningsOf } from '../../testing/validation.ts';
import { currencyCodes } from './currency-codes.ts';
import { readCurrency } from './currency.ts';

describe('The rules of a field', () => {
  /** The error of one field of an order, or undefined when the order is accepted. */
  function orderProblem(name: string, value: unknown): Promise<string | undefined> {
    return problemAt(
      `orders[0].${name}`,
      value === undefined ? without(validOrder(), name) : validOrder({ [name]: value }),
    );
  }

  function itemProblem(name: string, value: unknown): Promise<string | undefined> {
    const item = value === undefined ? without(validItem(), name) : validItem({ [name]: value });
    return problemAt(`orders[0].items[0].${name}`, validOrder({ items: [item] }));
  }

  async function problemAt(path: string, order: unknown): Promise<string | undefined> {
    const params = paramsOf(await validate({ orders: [order] }));
    if (params === undefined) return undefined;
    expect(Object.keys(params)).toEqual([path]);
    return params[path];
  }

  function problemIn(object: string): typeof orderProblem {
    return object === 'order' ? orderProblem : itemProblem;
  }

  describe.each([
    ['order', 'order_id'],
    ['order', 'member_id'],
    ['item', 'product_id'],
    ['item', 'product_name'],
    ['item', 'sku'],
  ])('%s.%s', (object, name) => {
    const problem = problemIn(object);

    it.each([
      [
        'null',
        null,
        name === 'sku' ? 'must not be null: leave the field out, or send an empty text' : 'must not be null',
      ],
      ['a number', 1, 'must be a string'],
      ['a boolean', true, 'must be a string'],
      ['an array', ['x'], 'must be a string'],
      ['an object', {}, 'must be a string'],
      ['256 characters', 'x'.repeat(256), 'must be at most 255 characters'],
      ['256 emoji', '😀'.repeat(256), 'must be at most 255 characters'],
      ['NUL', 'a\0', 'must not contain the NUL character'],
      ['a lone surrogate', '\ud800', 'must be well-formed Unicode (it contains a lone surrogate)'],
    ])('The field refuses %s', async (_, value, message) => {
      expect(await problem(name, value)).toBe(message);
    });

    it.each(['x', ' ', 'x'.repeat(255), '😀'.repeat(255), '__proto__', "'; drop table orders"])(
      'The field accepts %j',
      async (value) => {
        expect(await problem(name, value)).toBeUndefined();
      },
    );

    it(
      name === 'sku' ? 'The field may be absent or empty' : 'The field is required and must not be empty',
      async () => {
        expect(await problem(name, undefined)).toBe(name === 'sku' ? undefined : 'is required');
        expect(await problem(name, '')).toBe(name === 'sku' ? undefined : 'must not be empty');
      },
    );
  });

  describe.each([
    ['order', 'order_amount', 0],
    ['order', 'paid_amount', 0],
    ['order', 'shipping_amount', 0],
    ['item', 'price', 0],
    ['item', 'paid_amount', 0],
    ['item', 'quantity', 1],
  ])('%s.%s', (object, name, minimum) => {
    const problem = problemIn(object);

    it.each([
      ['null', null, 'must not be null'],
      ['nothing', undefined, 'is required'],
      ['a numeral in a string', '1', 'must be an integer'],
      ['a boolean', true, 'must be an integer'],
      ['an array', [1], 'must be an integer'],
      ['a fraction', 1.5, 'must be an integer'],
      ['a negative fraction', -1.5, 'must be an integer'],
      ['1e400', JSON.parse('1e400'), 'must be an integer'],
      ['-1e400', JSON.parse('-1e400'), 'must be an integer'],
      ['one too few', minimum - 1, `must be ${minimum} or more`],
      ['a very negative number', -1e300, `must be ${minimum} or more`],
      ['2^53', 2 ** 53, 'must be 9007199254740991 or less'],
      ['1e300', 1e300, 'must be 9007199254740991 or less'],
    ])('The field refuses %s', async (_, value, message) => {
      expect(await problem(name, value)).toBe(message);
    });

    it.each([minimum, 2_147_483_648, 2 ** 53 - 1, JSON.parse('1.0'), JSON.parse('1e3')])(
      'The field accepts %d',
      async (value) => {
        expect(await problem(name, value)).toBeUndefined();
      },
    );
  });

  describe.each([
    ['order', 'order_date'],
    ['order', 'paid_at'],
    ['order', 'cancelled_at'],
    ['order', 'returned_at'],
    ['item', 'cancelled_at'],
  ])('%s.%s', (object, name) => {
    const problem = problemIn(object);
    const required = name === 'order_date';

    it.each([
      ['a number', 1772334600, 'must be a string'],
      ['false', false, 'must be a string'],
      ['an object', {}, 'must be a string'],
      ['an empty string', '', 'must not be empty'],
      ['words', 'yesterday', 'must be an ISO 8601 date-time, for example 2026-03-01T12:30:00+09:00'],
      ['a date', '2026-03-01', 'must have a time too, for example 2026-03-01T00:00:00+09:00'],
      [
        'a blank for T',
        '2026-03-01 12:30:00+09:00',
        'must have a T between date and time, for example 2026-03-01T12:30:00+09:00',
      ],
      [
        'a week date',
        '2026-W09-7T12:30:00+09:00',
        'must be a year, month and day, for example 2026-03-01T12:30:00+09:00',
      ],
      [
        'an ordinal date',
        '2026-060T12:30:00+09:00',
        'must be a year, month and day, for example 2026-03-01T12:30:00+09:00',
      ],
      [
        '24:00',
        '2026-03-01T24:00:00+09:00',
        'must be 00:00 of the next day instead of 24:00, for example 2026-03-02T00:00:00+09:00',
      ],
      ['February 29 of 2026', '2026-02-29T00:00:00Z', 'must be a date and time that exists'],
      ['the year 1899', '1899-12-31T00:00:00Z', 'must be within the years 1900 to 9999'],
      ['the offset +15:00', '2026-03-01T00:00:00+15:00', 'must have a UTC offset between -14:00 and +14:00'],
    ])('The field refuses %s', async (_, value, message) => {
      expect(await problem(name, value)).toBe(message);
    });

    it.each([
      '2024-02-29T00:00:00Z',
      '2026-03-01T12:30+0900',
      '2026-03-01T12:30:00+14:00',
      '9998-12-31T23:59:59Z',
    ])('The field accepts %s', async (value) => {
      expect(await problem(name, value)).toBeUndefined();
    });

    it(
      required
        ? 'The field is required, with an offset'
        : 'The field may be absent, null or without an offset',
      async () => {
        expect(await problem(name, undefined)).toBe(required ? 'is required' : undefined);
        expect(await problem(name, null)).toBe(required ? 'must not be null' : undefined);
        const withoutOffset = required ? 'must have a UTC offset, for example +09:00' : undefined;
        expect(await problem(name, '2026-03-01T12:30:00')).toBe(withoutOffset);
      },
    );
  });

  describe('order.first_order', () => {
    it.each([
      ['null', null, 'must not be null: leave the field out, or send false'],
      ['"true"', 'true', 'must be true or false'],
      ['1', 1, 'must be true or false'],
      ['an empty string', '', 'must be true or false'],
    ])('The field refuses %s', async (_, value, message) => {
      expect(await orderProblem('first_order', value)).toBe(message);
    });

    it.each([true, false, undefined])('The field accepts %s', async (value) => {
      expect(await orderProblem('first_order', value)).toBeUndefined();
    });
  });

  describe('order.items', () => {
    it.each([
      ['null', null, 'must not be null: leave the field out, or send an empty list'],
      ['an object', { 0: validItem(), length: 1 }, 'must be an array'],
      ['a string', '[]', 'must be an array'],
    ])('The field refuses %s', async (_, value, message) => {
      expect(await orderProblem('items', value)).toBe(message);
    });

    it('The field may be absent or empty', async () => {
      expect(await orderProblem('items', undefined)).toBeUndefined();
      expect(await orderProblem('items', [])).toBeUndefined();
    });

    it.each([null, 1, 'x', [], [validItem()]])('The element %j is refused', async (item) => {
      const order = validOrder({ items: [item] });
      expect(await problemAt('orders[0].items[0]', order)).toBe('must be a JSON object');
    });
  });
});

describe('The dates of an order', () => {
  /** The orders as they are stored, and the warnings. */
  async function read(...orders: object[]) {
    const result = await validate({ orders });
    return { kept: ordersOf(result), warnings: warningsOf(result) };
  }

  const refusal = async (order: object, options = {}) =>
    paramsOf(await validate({ orders: [order] }, options));

  const ignored = 'means "never set" and is ignored: send null';
  const never = [
    '1970-01-01T00:00:00+00:00',
    '1970-01-01T00:00:00',
    '1900-01-01T00:00:00+09:00',
    '9999-12-31T23:59:59Z',
  ];

  describe('A date-time that means "never set"', () => {
    describe.each(['paid_at', 'cancelled_at', 'returned_at', 'updated_at'])('in %s of an order', (name) => {
      it.each(never)(
        'counts as absent with a warning, and is an error in strict handling: %s',
        async (date) => {
          const { kept, warnings } = await read(validOrder({ [name]: date }));
          expect(kept[0]?.[name]).toBeNull();
          expect(warnings).toEqual({ [`orders[0].${name}`]: ignored });
          expect(await refusal(validOrder({ [name]: date }), { strict: true })).toEqual(warnings);
        },
      );
    });

    it.each(never)(
      'in cancelled_at of a product counts as absent with a warning, and is an error in strict handling: %s',
      async (date) => {
        const order = validOrder({ items: [validItem({ cancelled_at: date })] });
        const { kept, warnings } = await read(order);
        expect(kept).toEqual([validOrder({ items: [validItem({ cancelled_at: null })] })]);
        expect(warnings).toEqual({ 'orders[0].items[0].cancelled_at': ignored });
        expect(await refusal(order, { strict: true })).toEqual(warnings);
      },
    );

    it.each(never)('in order_date is refused: %s', async (order_date) => {
      expect(await refusal(validOrder({ order_date }))).toEqual({
        'orders[0].order_date':
          'must be when the order was placed: 1970-01-01, 1900-01-01 and the year 9999 mean "never set"',
      });
    });

    it('is an error in strict handling beside other errors', async () => {
      const items = [validItem({ cancelled_at: never[0], price: -1 })];
      expect(
        await refusal(validOrder({ paid_at: never[0], member_id: '', items }), { strict: true }),
      ).toEqual({
        'orders[0].paid_at': ignored,
        'orders[0].member_id': 'must not be empty',
        'orders[0].items[0].cancelled_at': ignored,
        'orders[0].items[0].price': 'must be 0 or more',
      });
    });

    it('is a warning for the first field of each name', async () => {
      const order = (order_id: string, fields: object) => validOrder({ order_id, ...fields });
      const items = [
        validItem(),
        validItem({ cancelled_at: never[0] }),
        validItem({ cancelled_at: never[0] }),
      ];
      const { warnings } = await read(
        order('1', { paid_at: never[0] }),
        order('2', { paid_at: never[0], cancelled_at: never[3] }),
        order('3', { cancelled_at: never[3], items }),
      );
      expect(warnings).toEqual({
        'orders[0].paid_at': ignored,
        'orders[1].cancelled_at': ignored,
        'orders[2].items[1].cancelled_at': ignored,
      });
    });
  });

  describe('An improbable date of an order', () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

    it.each(['paid_at', 'cancelled_at', 'returned_at'])(
      'is a warning, also in strict handling: %s more than 24 hours before order_date',
      async (name) => {
        const order = validOrder({ [name]: '2026-02-28T12:29:59+09:00' });
        const { kept, warnings } = await read(order);
        expect(kept).toEqual([order]);
        expect(warnings).toEqual({ [`orders[0].${name}`]: 'is more than 24 hours before order_date' });
        expect(await validate({ orders: [order] }, { strict: true })).toEqual(
          await validate({ orders: [order] }),
        );
        expect((await read(validOrder({ [name]: '2026-02-28T03:30:00Z' }))).warnings).toBeUndefined();
      },
    );

    it('is a warning: order_date more than 24 hours ahead', async () => {
      const order = validOrder({ order_date: hours(25), paid_at: null });
      expect((await read(order)).warnings).toEqual({
        'orders[0].order_date': 'is more than 24 hours ahead of the time of this request',
      });
      expect(await refusal(order, { strict: true })).toBeUndefined();
      expect((await read(validOrder({ order_date: hours(23), paid_at: null }))).warnings).toBeUndefined();
    });

    it('is found in a time zone whose offset had seconds', async () => {
      const order = validOrder({ paid_at: '1905-01-01T00:00:00' });
      expect((await read(order)).warnings).toEqual({
        'orders[0].paid_at': 'is more than 24 hours before order_date',
      });
    });
  });

  describe('The updated_at of an order', () => {
    const state = (paid_amount: number, updated_at: unknown) => validOrder({ paid_amount, updated_at });

    it('is optional, and is read like the other date-times', async () => {
      const { kept, warnings } = await read(
        validOrder(),
        validOrder({ order_id: '2', updated_at: null }),
        validOrder({ order_id: '3', updated_at: '20261121T100000,5Z' }),
      );
      expect(kept.map(({ updated_at }) => updated_at)).toEqual([null, null, '2026-11-21T10:00:00.5Z']);
      expect(warnings).toBeUndefined();
    });

    const unreadable =
      'must be an ISO 8601 date-time such as 2026-11-21T10:00:00+09:00; another value is ignored';
    const withoutOffset = 'must have a UTC offset such as +09:00 or Z; without one it is ignored';
    it.each([
      ['yesterday', unreadable],
      ['2026-11-21', unreadable],
      [1_763_000_000, unreadable],
      [{}, unreadable],
      [true, unreadable],
      ['', unreadable],
      ['2026-11-21T10:00:00+15:00', unreadable],
      ['2026-11-21T10:00:00', withoutOffset],
      ['20261121T1000', withoutOffset],
    ])(
      'that is %p counts as absent, with a warning, and is an error in strict handling',
      async (value, message) => {
        const { kept, warnings } = await read(state(1, value));
        expect(kept[0]?.['updated_at']).toBeNull();
        expect(warnings).toEqual({ 'orders[0].updated_at': message });
        expect(await refusal(state(1, value), { strict: true })).toEqual(warnings);
      },
    );

    const wrongOffset = (field: string) =>
      `is more than 10 minutes before ${field}: its UTC offset is probably wrong`;
    it.each([
      ['order_date', { order_date: '2026-03-01T12:30:00Z', paid_at: null }, '2026-03-01T12:30:00+09:00'],
      ['paid_at', {}, '2026-03-01T12:20:59+09:00'],
      ['cancelled_at', { cancelled_at: '2026-03-05T10:00:00+09:00' }, '2026-03-05T01:00:00+09:00'],
      ['returned_at', { returned_at: '2026-03-05T10:00:00+09:00' }, '2026-03-05T01:00:00+09:00'],
      [
        'cancelled_at of a product',
        { items: [validItem({ cancelled_at: '2026-03-05T10:00:00+09:00' })] },
        '2026-03-05T01:00:00+09:00',
      ],
    ])(
      'that is more than 10 minutes before %s is a warning, also in strict handling, and is stored',
      async (field, dates, updated_at) => {
        const order = validOrder({ ...dates, updated_at });
        const { kept, warnings } = await read(order);
        expect(kept).toEqual([order]);
        expect(warnings).toEqual({ 'orders[0].updated_at': wrongOffset(field) });
        expect(await refusal(order, { strict: true })).toBeUndefined();
      },
    );

    it.each([
      ['that is up to 10 minutes before another date', { updated_at: '2026-03-01T12:21:00+09:00' }],
      [
        'of an import, in which it is the latest date',
        { updated_at: '2026-03-01T12:31:00+09:00', cancelled_at: '2026-03-01T12:31:00+09:00' },
      ],
      [
        'before a date that is ahead',
        { updated_at: '2026-03-01T12:31:00+09:00', returned_at: '2999-01-01T00:00:00Z' },
      ],
    ])('%s is no warning', async (_which, dates) => {
      expect((await read(validOrder(dates))).warnings).toBeUndefined();
    });

    const older = 'is older than that of the same order earlier in the request, which is kept';
    it.each([
      ['the newer one is kept', '2026-11-21T10:00:01Z', '2026-11-21T10:00:00Z', 1],
      [
        'the later sent one is kept when both are equal',
        '2026-11-21T10:00:00Z',
        '2026-11-21T19:00:00+09:00',
        2,
      ],
      ['microseconds count', '2026-11-21T10:00:00.000002Z', '2026-11-21T10:00:00.000001Z', 1],
      ['two times ahead of the clock count as written', '2999-01-01T00:00:01Z', '2999-01-01T00:00:00Z', 1],
      ['one without a time is newer than one from before the request', null, '2026-11-21T10:00:00Z', 1],
      ['one without a time is newer than an earlier one', '2999-01-01T00:00:00Z', null, 2],
      ['times in the future count as now beside one without', null, '2999-01-01T00:00:00Z', 2],
    ])('decides between two states of one request: %s', async (_rule, first, second, winner) => {
      const { kept, warnings } = await read(state(1, first), state(2, second));
      expect(kept.map(({ paid_amount }) => paid_amount)).toEqual([winner]);
      expect(warnings).toEqual(winner === 2 ? undefined : { 'orders[1].updated_at': older });
    });

    it('has both warnings of one state', async () => {
      const { warnings } = await read(state(1, '2026-03-02T00:00:00Z'), state(2, '2026-03-01T00:00:00Z'));
      expect(warnings).toEqual({ 'orders[1].updated_at': `${wrongOffset('paid_at')}; ${older}` });
    });
  });
});

describe('The currency of an order', () => {
  async function stored(...currencies: unknown[]): Promise<unknown[]> {
    const orders = currencies.map((currency, index) => validOrder({ order_id: `${index}`, currency }));
    return ordersOf(await validate({ orders })).map(({ currency }) => currency);
  }

  /** The warning about the currency of an order. */
  async function warningOf(currency: unknown): Promise<string | undefined> {
    const result = await validate({ orders: [validOrder({ currency })] });
    return warningsOf(result)?.['orders[0].currency'];
  }

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
    expect(warningsOf(result)).toEqual({
      'orders[1].currency': 'must be an ISO 4217 code such as KRW; this value is read as won',
      'orders[3].currency': 'must be an ISO 4217 code such as KRW; an order with another value earns nothing',
      'orders[5].currency': 'must be an ISO 4217 code such as KRW; another value is ignored',
    });
    expect(result).toMatchObject({
      warnings: { orderIds: { 'orders[1]': '1', 'orders[3]': '3', 'orders[5]': '5' } },
    });
    const strict = await validate({ orders }, { strict: true });
    expect(Object.keys(paramsOf(strict) ?? {})).toEqual(
      [1, 2, 3, 4, 5].map((index) => `orders[${index}].currency`),
    );
  });
});
