import type { FuzzRequest } from '../requests/fuzz-request.ts';
import type { FuzzAnswer } from '../requests/send.ts';
import type { FuzzMerchant } from '../service/open-merchant.ts';
import { call } from '../service/call.ts';
import { waitFor } from '@rewardhook/testing';

type Order = Record<string, unknown> & { order_id: string };

/** Orders of a merchant that are read back at most. */
const most = 300;

/** The orders that were accepted, as they were sent. */
export interface AcceptedOrders {
  see(request: FuzzRequest, answer: FuzzAnswer): void;
  /** Reads them back. Resolves with how many, and what was changed. */
  check(apiUrl: string, merchant: FuzzMerchant): Promise<{ count: number; changed: string[] }>;
}

/** Remembers what is accepted, and compares it with what is stored. An order that was sent twice is left out: either can be stored. */
export function openAcceptedOrders(): AcceptedOrders {
  const accepted = new Map<string, Order | 'sent twice'>();
  return {
    see({ route, body }, { status }) {
      if (route !== 'POST /api/open/orders/sync' || status === undefined || status < 200) return;
      // A 503 does not say whether they are stored.
      if (status >= 300 && status < 500) return;
      const orders = ordersOf(body);
      for (const order of orders)
        accepted.set(order.order_id, accepted.has(order.order_id) || status >= 300 ? 'sent twice' : order);
    },
    async check(apiUrl, { secretKey }) {
      const orders = [...accepted.values()].filter((one) => one !== 'sent twice').slice(-most);
      accepted.clear();
      const changed: string[] = [];
      for (const order of orders) {
        const path = `${apiUrl}/api/open/orders/${encodeURIComponent(order.order_id)}/`;
        const read = () => call<Order>(path, { 'x-service-key': secretKey }).catch(() => undefined);
        const wait = { deadlineMs: 30_000, what: 'the order' };
        const stored = await waitFor(read, wait).catch(() => undefined);
        if (!stored) {
          changed.push(`order ${JSON.stringify(order.order_id)} was accepted and cannot be read`);
          continue;
        }
        const found = differences(order, stored);
        if (found.length > 0) changed.push(`order ${JSON.stringify(order.order_id)}: ${found.join('; ')}`);
      }
      return { count: orders.length, changed };
    },
  };
}

/** The orders of a body; none when a hostile one has no list of them. */
function ordersOf(body = ''): Order[] {
  try {
    const { orders } = JSON.parse(body) as { orders?: unknown };
    return Array.isArray(orders)
      ? orders.filter((one: Order | null) => typeof one?.order_id === 'string')
      : [];
  } catch {
    return [];
  }
}

/** Fields that are stored as they are sent. Dates are compared as moments, where the document says which moment is meant. */
function differences(sent: Order, stored: Order): string[] {
  const same = ['order_id', 'order_amount', 'paid_amount', 'shipping_amount'] as const;
  const dates = ['order_date', 'paid_at', 'cancelled_at', 'returned_at'] as const;
  const found = same
    .filter((field) => sent[field] !== stored[field])
    .map((field) => describe(field, sent, stored));
  if ((sent['first_order'] ?? false) !== stored['first_order'])
    found.push(describe('first_order', sent, stored));
  for (const field of dates) {
    const [one, other] = [moment(sent[field]), moment(stored[field])];
    if (one !== undefined && one !== other) found.push(describe(field, sent, stored));
  }
  return found;
}

/** The moment of a date with an offset, to milliseconds; undefined for others, and for years that mean "never set". */
function moment(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d[Tt][\d:.]+([Zz]|[+-]\d\d:\d\d)$/.test(text))
    return undefined;
  const at = Date.parse(text);
  const year = new Date(at).getUTCFullYear();
  return year > 1970 && year < 9998 ? at : undefined;
}

const describe = (field: string, sent: Order, stored: Order) =>
  `${field} ${JSON.stringify(sent[field])} is read back as ${JSON.stringify(stored[field])}`;
