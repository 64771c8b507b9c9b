import type { Order } from '@rewardhook/contract';

/** Describes a set of orders: the same plan makes the same orders in every process. */
export interface OrdersPlan {
  /** Begins every order_id and member_id. */
  prefix: string;
  orders: number;
  /** The number of consecutive orders of one member. */
  ordersPerMember: number;
  /** Instead: the orders are of these members in turn, so that orders of several plans can be theirs. */
  members?: { prefix: string; count: number };
  /** Products of an order; default 2. */
  items?: number;
}

/** The member of the order with this index. */
export function memberOf({ prefix, ordersPerMember, members }: OrdersPlan, index: number): string {
  return members
    ? `${members.prefix}-member-${index % members.count}`
    : `${prefix}-member-${Math.floor(index / ordersPerMember)}`;
}

/** Makes the orders `from` to `to` (exclusive) of a plan: paid, in the contract's canonical form. */
export function makeOrders(plan: OrdersPlan, from: number, to: number): Order[] {
  return Array.from({ length: to - from }, (_, offset) => makeOrder(plan, from + offset));
}

/** Amounts, times and products differ from order to order, as in a shop. */
function makeOrder(plan: OrdersPlan, index: number): Order {
  const clock = (seconds: number) =>
    new Date(Date.UTC(2026, 2, 14) + seconds * 1_000).toISOString().slice(0, 19);
  const orderedAt = random(index, 'time') % 80_000;
  const item = (number: number, quantity: number) => {
    const product = random(random(index, `product ${number}`) % 5_000, 'product');
    const price = 10_000 + (product % 800) * 50;
    return {
      product_id: `P-${product % 1_000_000}`,
      product_name: `${pick(colors, product)} ${pick(goods, product >>> 4)} no. ${product % 997}, ${pick(sizes, product >>> 8)}`,
      quantity,
      price,
      paid_amount: price * quantity,
      sku: product.toString(36).toUpperCase().padStart(7, '0'),
      cancelled_at: null,
    };
  };
  const items = Array.from({ length: plan.items ?? 2 }, (_, at) =>
    item(at + 1, 1 + (random(index, `quantity ${at}`) % 3)),
  );
  const amount = items.reduce((sum, { paid_amount }) => sum + paid_amount, 0);
  const shipping = (random(index, 'shipping') % 8) * 500;
  return {
    order_id: `${plan.prefix}-${String(index).padStart(9, '0')}`,
    member_id: memberOf(plan, index),
    order_amount: amount,
    paid_amount: amount + shipping,
    shipping_amount: shipping,
    order_date: `${clock(orderedAt)}+09:00`,
    first_order: false,
    paid_at: `${clock(orderedAt + 5 + (random(index, 'paid') % 900))}+09:00`,
    cancelled_at: null,
    returned_at: null,
    currency: null,
    updated_at: null,
    items,
  };
}

const colors = ['초록', '파란', '하얀', '검은', '노란', '빨간', '보라', '회색'];
const goods = [
  'tea',
  '찻잔',
  'coffee',
  '셔츠',
  'notebook',
  '비누',
  'candle',
  '가방',
  'honey',
  '양말',
  'lamp',
];
const sizes = ['100 g', '250 g', '1 kg', 'S', 'M', 'XL', '0.5 l', '2 pieces', 'one size'];

const pick = <T>(values: readonly T[], number: number): T => values[number % values.length] as T;

/** A 32-bit number that looks random, the same for the same input (FNV-1a, with a final mix). */
function random(index: number, purpose: string): number {
  let hash = 2_166_136_261;
  for (const character of `${index} ${purpose}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return (hash ^ (hash >>> 13)) >>> 0;
}
