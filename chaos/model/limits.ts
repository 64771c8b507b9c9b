import type { ObservedReward } from '../shop/observe-shop.ts';

/** What limits count at a moment. */
interface Usage {
  /** Live rewards of the referrer, in total and of the month of the payment. */
  total: number;
  month: number;
  /** The sum of all live rewards. */
  spent: number;
}

/** Microseconds since 1970 of a time as the API shows it. */
export function timeOf(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return Math.floor(Date.parse(text) / 1_000) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** Whether a reward was live at a time: it is from its creation on, and no longer at its end. */
function wasLiveAt({ created_at: from, ended_at: until }: ObservedReward, time: number): boolean {
  return timeOf(from) <= time && (until === null || timeOf(until) > time);
}

/** The rewards of a shop, with the month of the payment of each order. */
interface Counted {
  rewards: ObservedReward[];
  months: Map<string, string>;
  zone: string;
}

/** What counted against the limits of a reward at a time, with what was given then. */
export function usageAt(
  { rewards, months, zone }: Counted,
  wanted: Pick<ObservedReward, 'member_id' | 'order_id'>,
  time: number,
): Usage {
  // A reward by hand for an order that is not paid is one of the month in which it was given.
  const monthOfReward = ({ order_id: orderId, created_at: at }: ObservedReward) =>
    months.get(orderId) ?? monthOf(Date.parse(at), zone);
  const month = months.get(wanted.order_id) ?? monthOf(time / 1_000, zone);
  const live = rewards.filter((one) => wasLiveAt(one, time));
  const ofReferrer = live.filter((one) => one.role === 'referrer' && one.member_id === wanted.member_id);
  return {
    total: ofReferrer.length,
    month: ofReferrer.filter((one) => monthOfReward(one) === month).length,
    spent: live.reduce((sum, { amount }) => sum + amount, 0),
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The month of a time in a time zone: `2026-11`. */
export function monthOf(time: number, zone: string): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: '2-digit' });
  formats.set(zone, format);
  const parts = format.formatToParts(time);
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return `${part('year')}-${part('month')}`;
}
