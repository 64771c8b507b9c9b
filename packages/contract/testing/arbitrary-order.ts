import fc from 'fast-check';

/** Values at the limits of the field rules. */
const edgeCases = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  ' ',
  'x'.repeat(255),
  'x'.repeat(256),
  '😀'.repeat(255),
  '😀'.repeat(256),
  'x'.repeat(511),
  'a\0b',
  '\ud83d',
  '\ude00\ud83d',
  0,
  -0,
  1,
  -1,
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  Infinity,
  -Infinity,
  NaN,
  '1',
  true,
  'true',
  [],
  {},
  [[1]],
  { a: { b: 1 } },
);

/** A text in the format of a date-time, whose digits and offset may be invalid. */
export const dateTimeText = fc
  .tuple(
    fc.constantFrom('1899', '1900', '1912', '2000', '2024', '2026', '2100', '9999'),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 24 }),
    fc.integer({ min: 0, max: 60 }),
    fc.option(fc.integer({ min: 0, max: 60 })),
    fc.option(fc.stringMatching(/^[0-9]{0,10}$/)),
    fc.constantFrom(
      '',
      'Z',
      'z',
      '+09:00',
      '-0930',
      '+14',
      '+14:00',
      '-14:01',
      '+15:00',
      '+09:60',
      '+9',
      '+09:0',
      ' Z',
    ),
    fc.constantFrom(['-', 'T', ':', '.'], ['-', 't', ':', ','], ['', 'T', '', '.'], ['', 't', '', ',']),
  )
  .map(
    ([
      year,
      month,
      day,
      hour,
      minute,
      second,
      fraction,
      ending,
      [dash = '', t = '', colon = '', point = ''],
    ]) => {
      const date = [year, two(month), two(day)].join(dash);
      const time = [two(hour), two(minute), ...(second === null ? [] : [two(second)])].join(colon);
      return `${date}${t}${time}${fraction === null ? '' : `${point}${fraction}`}${ending}`;
    },
  );

/** A date-time with one character replaced. */
export const mangledDateTime = fc
  .tuple(
    dateTimeText,
    fc.nat(),
    fc.constantFrom('', ' ', '0', '9', 'T', 't', ':', '-', '+', '.', 'Z', '٣', '\0'),
  )
  .map(([text, at, character]) => {
    const index = at % text.length;
    return text.slice(0, index) + character + text.slice(index + 1);
  });

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
const won = fc.nat();
const dateTime = fc.oneof(
  { arbitrary: fc.constantFrom('2026-03-01T12:30:00+09:00', '2026-03-01T12:30Z'), weight: 8 },
  dateTimeText,
  mangledDateTime,
);

/** Usually a value of the given arbitrary, sometimes any value. */
function mostly(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary, weight: 30 }, edgeCases, fc.jsonValue());
}

const unknownFields = { unknown_scalar: fc.integer(), unknown_nested: fc.jsonValue({ maxDepth: 3 }) };

/** An item that is valid about half of the time. Fields may be absent, and there may be unknown ones. */
const arbitraryItem = fc.oneof(
  {
    arbitrary: fc.record(
      {
        product_id: mostly(text),
        product_name: mostly(text),
        quantity: mostly(won.map((n) => n + 1)),
        price: mostly(won),
        paid_amount: mostly(won),
        sku: mostly(fc.option(text, { nil: undefined })),
        cancelled_at: mostly(fc.option(dateTime)),
        ...unknownFields,
      },
      { requiredKeys: ['product_id', 'product_name', 'quantity', 'price', 'paid_amount'] },
    ) as fc.Arbitrary<unknown>,
    weight: 30,
  },
  edgeCases,
);

/** An order that is valid about a third of the time. */
export const arbitraryOrder = fc.oneof(
  {
    arbitrary: fc.record(
      {
        order_id: mostly(text),
        member_id: mostly(text),
        order_amount: mostly(won),
        paid_amount: mostly(won),
        shipping_amount: mostly(won),
        order_date: mostly(fc.constantFrom('2026-03-01T12:30:00+09:00', '2026-03-01T12:30:00.1234567Z')),
        first_order: mostly(fc.boolean()),
        paid_at: mostly(fc.option(dateTime)),
        cancelled_at: mostly(fc.option(dateTime)),
        returned_at: mostly(fc.constant(null)),
        items: mostly(fc.array(arbitraryItem, { maxLength: 2 })),
        ...unknownFields,
      },
      {
        requiredKeys: [
          'order_id',
          'member_id',
          'order_amount',
          'paid_amount',
          'shipping_amount',
          'order_date',
        ],
      },
    ) as fc.Arbitrary<unknown>,
    weight: 30,
  },
  edgeCases,
);

function two(number: number): string {
  return String(number).padStart(2, '0');
}
