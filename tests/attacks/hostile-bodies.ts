import { gzipSync } from 'node:zlib';
import { buildItem, buildOrder } from '@rewardhook/testing';

/** A body of an order request that keeps every limit of a request. It may be refused for its content. */
export interface HostileBody {
  bytes: Buffer;
  headers: Record<string, string>;
  /** Sent to boot with the public key, which stands in every page of a shop, instead of to sync with the secret one. */
  toBoot?: boolean;
}

/** The most bytes of a body, and products of a request. */
const limits = { bytes: 2 * 1_024 * 1_024, products: 10_000 };

/** How a text, a date-time, a number and what no field expects are written. */
const texts = {
  short: 'tea',
  emoji: '🍵'.repeat(255),
  escapes: '\u0001'.repeat(255),
  empty: '',
};
const times = {
  offset: () => '2026-11-21T10:00:00+09:00',
  // Seoul changed its clocks on these days: every date-time needs the offset of its own moment.
  clockChange: (number: number) => `1987-05-10T0${1 + (number % 3)}:${pad(number)}:${pad(number * 7)}`,
  days: (number: number) => `19${pad((number % 80) + 10)}-${month(number)}-10T02:${pad(number)}:00`,
  wrong: () => '2026-02-30T25:61:61Z',
};
const numbers = {
  right: 30_000,
  large: Number.MAX_SAFE_INTEGER,
  none: null,
};
const extras = {
  none: () => '',
  deep: (size: number) => `"x":${'['.repeat(size)}${']'.repeat(size)},`,
  objects: (size: number) => `"x":[${'{},'.repeat(size)}{}],`,
  numbers: (size: number) => `"x":[${'0,'.repeat(size)}0],`,
  repeated: (size: number) => '"order_id":"a",'.repeat(size),
  digits: (size: number) => `"x":${'9'.repeat(size)},`,
};
const pad = (number: number) => String(number % 60).padStart(2, '0');
const month = (number: number) => String((number % 12) + 1).padStart(2, '0');

/** The parameters of a body. */
interface Shape {
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

/** Writes a body of this shape, with as many of its orders as the limits allow. */
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
  const extra = extras[shape.extra](shape.extraSize);
  const beside = shape.inEachOrder ? '' : extra;
  const written: string[] = [];
  let length = Buffer.byteLength(beside) + 20;
  while (written.length < shape.orders) {
    const order = writeOrder(shape.inEachOrder ? extra : '');
    length += Buffer.byteLength(order) + 1;
    if (length > limits.bytes || (written.length + 1) * shape.productsOfOrder > limits.products) break;
    written.push(order);
  }
  const body = Buffer.from(`{${beside}"orders":[${written.join(',')}]}`);
  const encoding: Record<string, string> = shape.compressed ? { 'content-encoding': 'gzip' } : {};
  return {
    bytes: shape.compressed ? gzipSync(body) : body,
    headers: { 'content-type': 'application/json', ...encoding },
  };
}

const ordinary: Shape = {
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
const manyProducts: Shape = { ...ordinary, orders: 10, productsOfOrder: 1_000, compressed: true };

/** The ten that take longest, as a search among generated ones has found them. They are accepted. */
export const slowestShapes: Shape[] = [
  manyProducts,
  // A few kilobytes of gzip, all date-times of which are near a clock change.
  { ...manyProducts, time: 'clockChange' },
  { ...manyProducts, time: 'days' },
  { ...manyProducts, time: 'days' },
  ...[50, 1_000].map((extraSize): Shape => ({
    ...manyProducts,
    number: 'large',
    extra: 'repeated',
    extraSize,
    inEachOrder: true,
  })),
  ...(['repeated', 'numbers'] as const).map((extra): Shape => ({
    ...manyProducts,
    time: 'clockChange',
    number: 'large',
    extra,
    extraSize: 50,
    inEachOrder: true,
  })),
  {
    ...ordinary,
    orders: 342,
    productsOfOrder: 9,
    text: 'emoji',
    extra: 'digits',
    extraSize: 1_000,
    compressed: true,
  },
  { ...ordinary, orders: 1_000, text: 'escapes' },
];

/** Known attacks that are refused sooner. */
export const refusedShapes: Shape[] = [
  { ...ordinary, extra: 'objects', extraSize: 349_000 },
  { ...ordinary, extra: 'deep', extraSize: 500_000, compressed: true },
  { ...ordinary, orders: 1_000, productsOfOrder: 10, number: 'none', time: 'wrong', text: 'empty' },
];
