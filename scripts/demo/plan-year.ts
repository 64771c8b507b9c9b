import type { Order } from '@rewardhook/contract';
import { buildItem, buildOrder } from '@rewardhook/local-stack';
import type { FlatTerms } from '@rewardhook/rewards';

const dayMs = 86_400_000;
const days = 365;

/** A referral, and when it was made. */
export interface PlannedLink {
  referrer: string;
  referee: string;
  linkedAt: Date;
}

/** A version of the program, and the orders that are placed while it is in force. */
export interface PlannedPhase {
  from: Date;
  /** Null for the version that the merchant begins with. */
  terms: FlatTerms | null;
  /** As they are when they are placed and paid. */
  orders: Order[];
  /** Those of them that are cancelled, returned or corrected later. */
  changed: Order[];
}

export interface PlannedYear {
  links: PlannedLink[];
  phases: PlannedPhase[];
}

const points = (value: number) =>
  ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } }) as const;
const usual: FlatTerms = { minimumPaidAmount: 15_000 };

/** Days before now from which each version is in force. The third is a campaign of four weeks. */
const versions = [
  { since: days, terms: null },
  { since: 240, terms: usual },
  { since: 78, terms: { ...usual, referee: points(5_000), referrer: points(6_000) } },
  { since: 50, terms: { ...usual, referrerCap: { total: null, month: 20 } } },
];
const campaign = { from: 78, until: 50 };

const products = [
  ['tea-01', 'Green tea, 100 g', 15_000],
  ['tea-02', 'Barley tea, 200 g', 9_000],
  ['tea-03', 'Jeju black tea, 80 g', 22_000],
  ['tea-04', 'Yuzu tea, 500 g', 18_000],
  ['cup-01', 'Tea cup', 12_000],
  ['pot-01', 'Tea pot', 48_000],
  ['set-01', 'Gift set', 65_000],
] as const;
const given = [
  'minji',
  'jiwoo',
  'seojun',
  'haeun',
  'doyun',
  'jimin',
  'siwoo',
  'yerin',
  'hyunwoo',
  'sujin',
  'taeho',
  'nari',
];
const family = ['kim', 'lee', 'park', 'choi', 'jung', 'kang', 'cho', 'yoon', 'jang', 'lim'];
/** They refer more than all others. */
const ambassadors = ['sora', 'boram', 'daniel', 'yuna', 'hyun', 'mina', 'eunji', 'joon', 'dahye', 'woojin'];

/** The orders of a shop in the year before `now`: the same for the same time. */
export function planYear(now: number, orders: number): PlannedYear {
  const random = openRandom(20_261_129);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const links: PlannedLink[] = [];
  const members = [...ambassadors];
  const newMember = () => {
    const id = `${pick(given)}.${pick(family)}${members.length}`;
    members.push(id);
    return id;
  };
  /** One of sixty is written like the id of a member who is linked already: a person should look at it. */
  const newReferee = () => {
    const alike = links.length % 60 === 59 ? links.at(-20)?.referee : undefined;
    return alike === undefined ? newMember() : alike.toUpperCase();
  };
  const memberOf = (at: number): string => {
    const inCampaign = at >= now - campaign.from * dayMs && at < now - campaign.until * dayMs;
    const chance = random();
    if (chance < 0.25) return newMember();
    if (chance > (inCampaign ? 0.6 : 0.42)) return pick(members);
    const referrer = random() < 0.6 ? (ambassadors[Math.floor(10 * random() ** 2)] as string) : pick(members);
    const referee = newReferee();
    links.push({ referrer, referee, linkedAt: new Date(at - (0.02 + 10 * random() ** 3) * dayMs) });
    return referee;
  };
  const starts = versions.map(({ since }) => now - since * dayMs);
  const phases: PlannedPhase[] = versions.map(({ terms }, index) => ({
    from: new Date(starts[index] as number),
    terms,
    orders: [],
    changed: [],
  }));
  drawTimes(now, orders, random).forEach((at, number) => {
    const index = starts.findLastIndex((start) => at >= start);
    const end = (starts[index + 1] ?? now) - 3_600_000;
    const phase = phases[index];
    if (!phase) return;
    const order = drawOrder(`B-${10_001 + number}`, memberOf(at), Math.min(at, end), { random, pick });
    phase.orders.push(order);
    const changed = changeOrder(order, end, random);
    if (changed) phase.changed.push(changed);
  });
  return { links, phases };
}

/** The times of the orders: more in autumn and winter, at weekends and in the evening, and towards the end of the year. */
function drawTimes(now: number, orders: number, random: () => number): number[] {
  const weights = Array.from({ length: days }, (_, age) => {
    const at = new Date(now - age * dayMs);
    const season = 1 + 0.35 * Math.cos(((at.getUTCMonth() - 10.5) / 12) * 2 * Math.PI);
    const weekend = [0, 6].includes(at.getUTCDay()) ? 1.3 : 1;
    const inCampaign = age < campaign.from && age >= campaign.until ? 1.5 : 1;
    return season * weekend * inCampaign * (1.3 - age / days);
  });
  const sums = weights.map(
    (
      (sum) => (weight) =>
        (sum += weight)
    )(0),
  );
  const total = sums.at(-1) ?? 0;
  const times = Array.from({ length: orders }, () => {
    const wanted = random() * total;
    const age = sums.findIndex((sum) => sum >= wanted);
    // The hour of the day in Seoul, most often at nine in the evening.
    const hour = Math.max(0, Math.min(23.9, 21 + 4 * (random() + random() + random() - 1.8)));
    const midnight = Math.floor((now - age * dayMs + 9 * 3_600_000) / dayMs) * dayMs - 9 * 3_600_000;
    return Math.min(midnight + hour * 3_600_000, now - (10 + 600 * random()) * 60_000);
  });
  return times.toSorted((one, other) => one - other);
}

interface Chances {
  random: () => number;
  pick: <T>(values: readonly T[]) => T;
}

function drawOrder(orderId: string, memberId: string, at: number, { random, pick }: Chances): Order {
  const items = Array.from({ length: random() < 0.35 ? 2 : 1 }, () => {
    const [productId, name, price] = pick(products);
    const quantity = random() < 0.2 ? 2 : 1;
    const paid = price * quantity;
    return buildItem({
      product_id: productId,
      product_name: name,
      sku: productId.toUpperCase(),
      price,
      quantity,
      paid_amount: paid,
    });
  });
  const amount = items.reduce((sum, item) => sum + item.paid_amount, 0);
  const shipping = amount >= 50_000 ? 0 : 3_000;
  return buildOrder({
    order_id: orderId,
    member_id: memberId,
    order_amount: amount,
    paid_amount: amount + shipping,
    shipping_amount: shipping,
    order_date: new Date(at).toISOString(),
    paid_at: random() < 0.04 ? null : new Date(at + 60_000 * (1 + 5 * random())).toISOString(),
    items,
  });
}

/** The order as it is after a cancellation, a return, or the cancellation of one of two products; undefined for most. */
function changeOrder(order: Order, until: number, random: () => number): Order | undefined {
  const chance = random();
  const after = (most: number) =>
    new Date(Math.min(Date.parse(order.order_date) + (0.1 + most * random()) * dayMs, until)).toISOString();
  if (chance < 0.03) return { ...order, cancelled_at: after(1) };
  if (chance < 0.06) return order.paid_at === null ? undefined : { ...order, returned_at: after(9) };
  const [first, ...others] = order.items;
  if (chance > 0.12 || !first || others.length === 0) return undefined;
  return { ...order, items: [{ ...first, cancelled_at: after(2) }, ...others] };
}

/** Numbers from 0 to 1, always the same ones for a seed (mulberry32). */
function openRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
