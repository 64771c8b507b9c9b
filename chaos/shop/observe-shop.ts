import type { Ledger } from '../ledger/open-ledger.ts';
import type { SentOrder } from '../ledger/entries.ts';
import type { Shop } from './open-shop.ts';

/** An order as the list of orders shows it. */
export interface ObservedOrder extends Omit<SentOrder, 'items'> {
  paid_now: number;
  every_product_cancelled: boolean;
  created_at: string;
  items_count: number;
  last_reason: string | null;
}

/** A reward as the list of rewards shows it. */
export interface ObservedReward {
  id: string;
  state: 'pending' | 'confirmed' | 'revoked' | 'cancelled';
  role: 'referee' | 'referrer';
  member_id: string;
  order_id: string;
  referral_id: string;
  type: string;
  unit: string;
  amount: number;
  program_version: number;
  created_at: string;
  confirm_due_at: string | null;
  confirmed_at: string | null;
  ended_at: string | null;
  corrected: 'granted' | 'adjusted' | 'revoked' | null;
  issued_member_id: string;
}

/** A referral as the list of referrals shows it. */
export interface ObservedReferral {
  id: string;
  referrer_member_id: string;
  referee_member_id: string;
  linked_at: string;
  review: string;
  not_new: boolean;
  ended: string | null;
  /** Moves by people, the newest first. */
  moves: unknown[];
}

/** An event of the feed, as a webhook delivers it. */
export interface ObservedEvent {
  id: string;
  type: string;
  created_at: string;
  data: {
    reward: { id: string; type: string; amount: number; unit: string };
    member_id: string;
    role: 'referee' | 'referrer';
    referral: { id: string; referrer_member_id: string; referee_member_id: string; linked_at: string };
    order: { order_id: string };
    reason?: string;
  };
}

/** A delivery as the list of a webhook shows it. */
export interface ObservedDelivery {
  id: string;
  state: 'pending' | 'held' | 'delivered' | 'exhausted' | 'cancelled';
  event_id: string;
  event_type: string;
  webhook_id: string;
  attempts_made: number;
}

/** What explain says about an order. */
export interface ObservedExplanation {
  order_id: string;
  waits_for_evaluation: boolean;
  stored_decision: { number: number; decided_at: string; program_version: number } | null;
  decision: { outcome: string; reason: string };
}

/** The number of newest orders of a shop whose explanations are read. */
const explained = 1_000;

/** Reads back everything that the API says about a shop, and writes it down. The load must have ended. */
export async function observeShop(shop: Shop, ledger: Ledger): Promise<void> {
  const observe = (what: string, rows: unknown[]) =>
    ledger.write({ kind: 'observed', shop: shop.name, what, rows });
  const orders = await readList<ObservedOrder>(shop, '/api/open/orders/?limit=200', 'orders');
  observe('orders', orders);
  observe('rewards', await readList(shop, '/api/open/rewards/?limit=200', 'rewards'));
  const referrals = await readList<ObservedReferral>(shop, '/api/open/referrals/?limit=200', 'referrals');
  observe('referrals', referrals);
  observe('events', await readFeed(shop));
  observe(
    'webhooks',
    shop.webhooks.map(({ id }) => ({ id })),
  );
  for (const { id } of shop.webhooks)
    observe(
      'deliveries',
      await readList(shop, `/api/open/webhooks/${id}/deliveries/?limit=200`, 'deliveries'),
    );
  const referred = new Set(referrals.map(({ referee_member_id: id }) => id));
  const ofReferred = orders.filter(({ member_id: id }) => referred.has(id)).slice(0, explained);
  for (let from = 0; from < ofReferred.length; from += 8) {
    const some = ofReferred.slice(from, from + 8);
    observe('explanations', await Promise.all(some.map(({ order_id: id }) => readExplanation(shop, id))));
  }
}

async function read(shop: Shop, path: string): Promise<Record<string, unknown>> {
  const { outcome, status, body } = await shop.repeat({ call: 'read', path });
  if (outcome !== 'ok') throw new Error(`${path} of ${shop.name} answered ${status} ${JSON.stringify(body)}`);
  return (body as { data: Record<string, unknown> }).data;
}

/** Reads all pages of a list. */
export async function readList<T>(shop: Shop, path: string, list: string): Promise<T[]> {
  const rows: T[] = [];
  for (let after: string | null = ''; after !== null;) {
    const data = await read(shop, after === '' ? path : `${path}&after=${encodeURIComponent(after)}`);
    rows.push(...(data[list] as T[]));
    after = data['next'] as string | null;
  }
  return rows;
}

/** Reads the feed of rewards to its end. */
async function readFeed(shop: Shop): Promise<ObservedEvent[]> {
  const rows: ObservedEvent[] = [];
  for (let path = '/api/open/events/?limit=1000', hasMore = true; hasMore;) {
    const data = await read(shop, path);
    rows.push(...(data['events'] as ObservedEvent[]));
    path = `/api/open/events/?limit=1000&after=${encodeURIComponent(String(data['next']))}`;
    hasMore = data['has_more'] === true;
  }
  return rows;
}

async function readExplanation(shop: Shop, orderId: string): Promise<ObservedExplanation> {
  const data = await read(shop, `/api/open/orders/${encodeURIComponent(orderId)}/explain/`);
  const { order_id, waits_for_evaluation, stored_decision, decision } =
    data as unknown as ObservedExplanation;
  const { outcome, reason } = decision;
  return { order_id, waits_for_evaluation, stored_decision, decision: { outcome, reason } };
}
