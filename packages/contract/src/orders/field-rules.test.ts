import { validItem, validOrder, without } from '../../testing/valid-order.ts';
import { validate } from '../../testing/validation.ts';

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
  const validation = await validate({ orders: [order] });
  if (validation.kind === 'valid') return undefined;
  expect(Object.keys(validation.params)).toEqual([path]);
  return validation.params[path];
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
    required ? 'The field is required, with an offset' : 'The field may be absent, null or without an offset',
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
