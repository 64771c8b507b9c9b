import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { buildItem, buildOrder } from '@rewardhook/testing';

/** A body of an order request that keeps every limit of a request. It may be refused for its content. */
export interface HostileBody {
  /** What it is made of, for the report. */
  shape: Shape;
  bytes: Buffer;
  headers: Record<string, string>;
  /** Sent to boot with the public key, which stands in every page of a shop, instead of to sync with the secret one. */
  toBoot?: boolean;
}

/** The most bytes of a body, orders of a request, products of a request and of an order. */
const limits = { bytes: 2 * 1_024 * 1_024, orders: 1_000, products: 10_000, productsOfOrder: 1_000 };

/** How a text, a date-time, a number and what no field expects are written. */
const texts = {
  short: 'tea',
  wide: '가'.repeat(255),
  emoji: '🍵'.repeat(255),
  escapes: '\u0001'.repeat(255),
  tooLong: 'a'.repeat(256),
  empty: '',
};
const times = {
  offset: () => '2026-11-21T10:00:00+09:00',
  // Seoul changed its clocks on these days: every date-time needs the offset of its own moment.
  clockChange: (number: number) => `1987-05-10T0${1 + (number % 3)}:${pad(number)}:${pad(number * 7)}`,
  days: (number: number) => `19${pad((number % 80) + 10)}-${month(number)}-10T02:${pad(number)}:00`,
  precise: (number: number) => `1988-05-08T02:${pad(number)}:00.123456`,
  wrong: () => '2026-02-30T25:61:61Z',
  number: () => 5,
};
const numbers = {
  right: 30_000,
  large: Number.MAX_SAFE_INTEGER,
  fraction: 1.5,
  negative: -1,
  text: '1',
  none: null,
};
const extras = {
  none: () => '',
  nested: (size: number) => `"x":${'['.repeat(Math.min(size, 60))}${']'.repeat(Math.min(size, 60))},`,
  deep: (size: number) => `"x":${'['.repeat(size)}${']'.repeat(size)},`,
  objects: (size: number) => `"x":[${'{},'.repeat(size)}{}],`,
  numbers: (size: number) => `"x":[${'0,'.repeat(size)}0],`,
  names: (size: number) => Array.from({ length: size }, (_none, index) => `"ordr_id${index}":0,`).join(''),
  repeated: (size: number) => '"order_id":"a",'.repeat(size),
  prototype: (size: number) => '"__proto__":{"a":1},'.repeat(size),
  digits: (size: number) => `"x":${'9'.repeat(size)},`,
  spaces: (size: number) => ' '.repeat(size),
  escapes: (size: number) => `"x":"${'\\u0041'.repeat(size)}",`,
};
const pad = (number: number) => String(number % 60).padStart(2, '0');
const month = (number: number) => String((number % 12) + 1).padStart(2, '0');

/** The parameters of a body. */
export interface Shape {
  orders: number;
  productsOfOrder: number;
  text: keyof typeof texts;
  time: keyof typeof times;
  number: keyof typeof numbers;
  extra: keyof typeof extras;
  /** How often the extra is repeated, and whether it stands in each order instead of beside them. */
  extraSize: number;
  inEachOrder: boolean;
  compressed: boolean;
}

const keysOf = <T extends object>(object: T) => fc.constantFrom(...(Object.keys(object) as (keyof T)[]));
/** Large values more often than small ones: the limits are where it hurts. */
const upTo = (max: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(max) }, { weight: 2, arbitrary: fc.integer({ min: 1, max }) });

const shapes: fc.Arbitrary<Shape> = fc.record({
  orders: upTo(limits.orders),
  productsOfOrder: fc.oneof(fc.constant(0), upTo(limits.productsOfOrder)),
  text: keysOf(texts),
  time: keysOf(times),
  number: keysOf(numbers),
  extra: keysOf(extras),
  extraSize: fc.constantFrom(1, 50, 1_000, 20_000, 200_000, 700_000),
  inEachOrder: fc.boolean(),
  compressed: fc.boolean(),
});

/** Writes a body of this shape: as many orders and repetitions of it as the limits allow. */
export function writeBody(shape: Shape): HostileBody {
  const [text, number] = [texts[shape.text], numbers[shape.number] as number];
  const time = times[shape.time] as (index: number) => string;
  let count = 0;
  const writeOrder = (extra: string): string => {
    const items = Array.from({ length: shape.productsOfOrder }, () => {
      count += 1;
      const fields = { product_id: text, product_name: text, sku: text, price: number, quantity: number };
      return buildItem({ ...fields, cancelled_at: time(count) });
    });
    const order = buildOrder({ paid_amount: number, paid_at: time(count), cancelled_at: time(count), items });
    // The extra comes first, so that a later field with the same name replaces it.
    return `{${extra}${JSON.stringify({ ...order, member_id: text }).slice(1)}`;
  };
  let extra = '';
  for (let size = shape.extraSize; size >= 1; size = Math.floor(size / 2)) {
    extra = extras[shape.extra](size);
    if (extra.length < limits.bytes / 2) break;
  }
  const beside = shape.inEachOrder ? '' : extra;
  const written: string[] = [];
  let length = Buffer.byteLength(beside) + 20;
  while (written.length < shape.orders) {
    const order = writeOrder(shape.inEachOrder ? extra : '');
    length += Buffer.byteLength(order) + 1;
    const full = length > limits.bytes || (written.length + 1) * shape.productsOfOrder > limits.products;
    // One order that is too large for a request is sent without products.
    if (full && written.length === 0)
      return writeBody({ ...shape, productsOfOrder: shape.productsOfOrder >> 1 });
    if (full) break;
    written.push(order);
  }
  const body = Buffer.from(`{${beside}"orders":[${written.join(',')}]}`);
  const encoding: Record<string, string> = shape.compressed ? { 'content-encoding': 'gzip' } : {};
  return {
    shape,
    bytes: shape.compressed ? gzipSync(body) : body,
    headers: { 'content-type': 'application/json', ...encoding },
  };
}

/** Generates shapes; the same seed results in the same ones. */
export function generateShapes(count: number, seed: number): Shape[] {
  return fc.sample(shapes, { numRuns: count, seed });
}

/** Changes one parameter of a shape. */
export function changeShape(shape: Shape, seed: number): Shape {
  const [other] = generateShapes(1, seed) as [Shape];
  const names = Object.keys(shape) as (keyof Shape)[];
  const name = names[seed % names.length] as keyof Shape;
  return { ...shape, [name]: other[name] };
}

/** Bodies that a search does not find by chance: known attacks, and those of issues. */
export const knownShapes: Shape[] = [
  // A few kilobytes of gzip, all date-times of which are near a clock change.
  { ...plain(), orders: 10, productsOfOrder: 1_000, time: 'clockChange', compressed: true },
  { ...plain(), orders: 10, productsOfOrder: 1_000, time: 'days', compressed: true },
  { ...plain(), extra: 'objects', extraSize: 699_000 },
  { ...plain(), extra: 'deep', extraSize: 500_000, compressed: true },
  { ...plain(), orders: 1_000, productsOfOrder: 10, number: 'none', time: 'wrong', text: 'empty' },
  { ...plain(), orders: 1_000, productsOfOrder: 0, text: 'escapes' },
];

function plain(): Shape {
  return {
    orders: 1,
    productsOfOrder: 0,
    text: 'short',
    time: 'offset',
    number: 'right',
    extra: 'none',
    extraSize: 1,
    inEachOrder: false,
    compressed: false,
  };
}
