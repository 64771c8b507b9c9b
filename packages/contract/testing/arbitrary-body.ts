import fc from 'fast-check';
import { validItem, validOrder } from './valid-order.ts';

/** JSON that PostgreSQL refuses or changes in `jsonb`, for fields whose values are ignored. */
const ignoredJson = [
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '1e400000',
  '-0.0',
  '{"a":{"a":1},"a":2}',
  '[[]]',
];
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('녹차 100 g', '"}],{"orders":[', '\\', '\n', '😀', '\u2028', 'a/b', 'ZERO\u0001'),
);
const won = fc.constantFrom(0, 1, 7, 1_000, 12_000, 120_000_000, 2 ** 53 - 1);
const canonicalTime = fc.constantFrom(
  '2026-03-01T12:30:00+09:00',
  '2026-03-01T12:30:00.5Z',
  '2026-03-01T12:30-0930',
);
const time = fc.oneof(
  { arbitrary: canonicalTime, weight: 20 },
  { arbitrary: fc.constant('2026-03-01T12:30:00.123456789+09'), weight: 1 },
);
const optionalTime = fc.option(
  fc.oneof({ arbitrary: time, weight: 20 }, { arbitrary: fc.constant('2026-03-01T12:30:00'), weight: 1 }),
);
const item = fc
  .record({
    product_id: text,
    product_name: text,
    quantity: fc.constantFrom(1, 10),
    price: won,
    paid_amount: won,
    sku: text,
    cancelled_at: optionalTime,
  })
  .map(validItem);
const order = fc
  .record({
    order_id: fc.oneof(text, fc.constantFrom('1', '2')),
    member_id: text,
    order_amount: won,
    paid_amount: won,
    shipping_amount: won,
    order_date: time,
    first_order: fc.boolean(),
    paid_at: optionalTime,
    cancelled_at: optionalTime,
    returned_at: optionalTime,
    items: fc.array(item, { maxLength: 3 }),
  })
  .map(validOrder);
const orders = fc.array(order, { minLength: 1, maxLength: 4 });

/**
 * The JSON of an acceptable request, written in any way: with whitespace, escapes, integers as fractions and with
 * exponents, fields in any order, absent optional fields, and unknown and repeated fields of any content. About half of
 * the bodies have none of these peculiarities beside absent fields.
 */
export const acceptableBody: fc.Arbitrary<string> = fc
  .tuple(orders, fc.nat(), fc.constantFrom(0, 0, 0, 0.02, 0.1))
  .map(([values, seed, oddness]) => new JsonWriter(seed, oddness).writeBody(values));

const optional = ['first_order', 'paid_at', 'cancelled_at', 'returned_at', 'items', 'sku'];

/** Writes JSON with peculiarities, each of which occurs with the probability `oddness`. */
class JsonWriter {
  private state: number;
  private readonly oddness: number;

  constructor(seed: number, oddness: number) {
    this.state = seed;
    this.oddness = oddness;
  }

  writeBody(values: object[]): string {
    const list = `"orders"${this.space()}:${this.write(values)}`;
    const before = this.isOdd() ? this.pick(['"orders":[{}],', '"source":{"orders":[]},']) : '';
    const after = this.isOdd() ? `,"meta":${this.pick(ignoredJson)}` : '';
    return `${this.isOdd() ? '\ufeff' : ''}${this.space()}{${before}${list}${this.space()}${after}}${this.space()}`;
  }

  private write(value: unknown): string {
    const { space } = this;
    if (typeof value === 'string') return this.writeString(value);
    if (typeof value === 'number') return this.writeInteger(value);
    if (Array.isArray(value))
      return `[${value.map((one) => `${space()}${this.write(one)}${space()}`).join()}]`;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    const absent = this.random() < 0.2 ? this.pick(optional) : '';
    const present = Object.entries(value).filter(([name]) => name !== absent);
    const fields = present.map(
      ([name, field]) => `${this.writeString(name)}${space()}:${space()}${this.write(field)}`,
    );
    if (this.isOdd()) fields.reverse();
    // The last one of repeated fields counts.
    if (this.isOdd())
      fields.unshift(`"${this.pick(present.map(([name]) => name))}":${this.pick(ignoredJson)}`);
    if (this.isOdd())
      fields.push(`"${this.pick(['extra', '__proto__', 'Items'])}":${this.pick(ignoredJson)}`);
    return `{${fields.join(`${space()},${space()}`)}}`;
  }

  private writeString(value: string): string {
    const json = JSON.stringify(value);
    if (!this.isOdd()) return json;
    const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return json.includes('\\') ? json.replaceAll('/', '\\/') : `"${value.replaceAll(/[^]/g, escape)}"`;
  }

  private writeInteger(value: number): string {
    if (!this.isOdd()) return `${value}`;
    const forms = [`${value}.0`, `${value}e0`, `${value}.0E-0`];
    forms.push(value === 0 ? '-0' : `${value}.0000000000000000000001`);
    if (value % 1_000 === 0) forms.push(`${value / 1_000}e3`, `${value / 1_000}e+3`);
    return this.pick(forms);
  }

  private readonly space = (): string =>
    this.isOdd() ? this.pick([' ', '\n', '\r\n\t', ' '.repeat(40)]) : '';

  private isOdd(): boolean {
    return this.random() < this.oddness;
  }

  private pick<T>(values: readonly T[]): T {
    return values.at(Math.floor(this.random() * values.length)) as T;
  }

  /** A linear congruential generator, so that a failure can be repeated from its seed. */
  private random(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }
}

/** A change of a body: at a position, a number of bytes is replaced. */
const change = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(0, 1, 1, 2, 9),
  inserted: fc.oneof(
    fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      '\0',
      '\u0001',
      'null',
      'true',
    ),
    fc.constantFrom(
      '\\u0000',
      '\\ud800',
      '\\ud83d\\ude00',
      '\\n',
      '\\x',
      '"sku":"",',
      '"paid_at":null,',
      '00',
      '1'.repeat(17),
    ),
    fc.constant('x'.repeat(256)),
    // Bytes that are not UTF-8 are made of this one.
    fc.constant('\u00ff'),
  ),
});

/** The bytes of an acceptable request with a few changes. */
export const changedBody: fc.Arbitrary<Buffer> = fc
  .tuple(acceptableBody, fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([body, changes, asLatin1]) => {
    let changed = body;
    for (const { at, removed, inserted } of changes) {
      const start = at % (changed.length + 1);
      changed = changed.slice(0, start) + inserted + changed.slice(start + removed);
    }
    return Buffer.from(changed, asLatin1 ? 'latin1' : 'utf8');
  });
