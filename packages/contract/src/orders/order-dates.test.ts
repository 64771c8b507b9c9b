import { validItem, validOrder } from '../../testing/valid-order.ts';
import { ordersOf, validate } from '../../testing/validation.ts';

/** The orders as they are stored, and the warnings. */
async function read(...orders: object[]) {
  const result = await validate({ orders });
  const kept = ordersOf(result);
  return { kept, warnings: result.kind === 'valid' ? result.warnings?.warnings : undefined };
}

async function refusal(order: object, options = {}) {
  const result = await validate({ orders: [order] }, options);
  return result.kind === 'invalid' ? result.params : undefined;
}

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
    expect(await refusal(validOrder({ paid_at: never[0], member_id: '', items }), { strict: true })).toEqual({
      'orders[0].paid_at': ignored,
      'orders[0].member_id': 'must not be empty',
      'orders[0].items[0].cancelled_at': ignored,
      'orders[0].items[0].price': 'must be 0 or more',
    });
  });

  it('is a warning for the first field of each name', async () => {
    const order = (order_id: string, fields: object) => validOrder({ order_id, ...fields });
    const items = [validItem(), validItem({ cancelled_at: never[0] }), validItem({ cancelled_at: never[0] })];
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
