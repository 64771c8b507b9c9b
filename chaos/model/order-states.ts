import type { SentOrder } from '../ledger/entries.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { Call } from '../ledger/read-history.ts';

/** The states of an order that may be the stored one. */
export interface OrderStates {
  orderId: string;
  states: SentOrder[];
  /** Whether it may be missing: no request with it was accepted for certain. */
  mayBeMissing: boolean;
}

/** One state of an order that was sent. It became newer than others at a time between `from` and `until`. */
interface Sent {
  call: Call;
  state: SentOrder;
  from: number;
  until: number;
}

/**
 * Which state of each order may be stored, after docs/api.md: the one that was sent last, or the one with the latest `updated_at`. Requests
 * that were in flight at the same time can have been accepted in either order. A request of unknown outcome may have been
 * accepted, but no later than its connection was closed.
 */
export function allowedOrderStates(calls: readonly Call[]): Map<string, OrderStates> {
  const sent = calls
    .filter(({ call, outcome }) => call === 'sync' && outcome !== 'refused')
    .flatMap((call) => statesOf(call).map((state) => timed(call, state)));
  const byOrder = groupBy(sent, ({ state }) => state.order_id);
  return new Map(
    [...byOrder].map(([orderId, all]) => {
      const accepted = all.filter(({ call }) => call.outcome === 'ok');
      const states = all
        .filter((one) => !accepted.some((other) => other !== one && isNewer(other, one)))
        .map(({ state }) => state);
      return [orderId, { orderId, states, mayBeMissing: accepted.length === 0 }];
    }),
  );
}

/** The orders of a request, each once: the one with the later `updated_at` if both have one, otherwise the last. */
function statesOf({ body }: Call): SentOrder[] {
  const states = new Map<string, SentOrder>();
  for (const state of (body as { orders: SentOrder[] }).orders) {
    const other = states.get(state.order_id);
    if (other && other.updated_at !== null && state.updated_at !== null) {
      if (Date.parse(other.updated_at) > Date.parse(state.updated_at)) continue;
    }
    states.set(state.order_id, state);
  }
  return [...states.values()];
}

/** A state without `updated_at`, or with one after the acceptance, counts from its acceptance. */
function timed(call: Call, state: SentOrder): Sent {
  const updatedAt = state.updated_at === null ? Number.POSITIVE_INFINITY : Date.parse(state.updated_at);
  return { call, state, from: Math.min(updatedAt, call.sentAt), until: Math.min(updatedAt, call.endedAt) };
}

/** Whether a state replaces another one for certain. */
function isNewer(one: Sent, than: Sent): boolean {
  if (one.from > than.until) return true;
  // Equal times of the shop: the one that was sent last counts.
  const areEqual = one.from === one.until && than.from === than.until && one.from === than.from;
  return areEqual && one.call.sentAt > than.call.endedAt;
}
