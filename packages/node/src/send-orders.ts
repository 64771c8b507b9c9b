import { callApi } from './call-api.ts';
import type { CallSettings } from './call-api.ts';
import { detailsWithGivenIndexes, withGivenIndexes } from './given-indexes.ts';
import { openKeyLocks } from './key-locks.ts';
import type { OrderInput, SentOrders } from './orders.ts';
import { RewardhookError } from './rewardhook-error.ts';
import { splitOrders } from './split-orders.ts';
import type { BatchLimits, PreparedOrder } from './split-orders.ts';

/** Options of one call of `orders.send`. */
export interface SendOptions {
  /** Whether unknown fields are refused instead of ignored with a warning. Default false. */
  strict?: boolean;
  signal?: AbortSignal;
}

/** Sends orders, see {@link openOrderSender}. */
export type SendOrders = (orders: readonly OrderInput[], options?: SendOptions) => Promise<SentOrders>;

/** The answer to a request. */
interface Accepted {
  data: { accepted_count: number };
  warnings?: Record<string, string>;
  order_ids?: Record<string, string>;
}

const nothingSent: SentOrders = { accepted_count: 0, superseded: [], warnings: {}, order_ids: {} };

/**
 * Opens the function that sends orders. For the API the request that arrives last counts, so of each order only one request
 * is in progress at a time, and a state is not sent, or sent again, when a later call has been given a newer one. This holds
 * within one process. A state with `updated_at` is always sent: the API knows which one is newer.
 *
 * The requests of a call are sent one after the other. The first one that fails ends the call; `acceptedCount` of the error
 * has the number of orders of those before.
 */
export function openOrderSender(settings: CallSettings, limits: BatchLimits): SendOrders {
  /** Order id → the number of the newest call in progress that has this order. */
  const newest = new Map<string, number>();
  const locks = openKeyLocks();
  let calls = 0;

  /** Sends the orders of a batch that are still the newest. */
  async function sendBatch(
    batch: readonly PreparedOrder[],
    isNewest: (order: PreparedOrder) => boolean,
    { strict = false, signal }: SendOptions,
  ): Promise<SentOrders> {
    const ids = batch.flatMap(({ id }) => id ?? []);
    let sending = batch;
    const answer = await callApi(settings, {
      method: 'POST',
      path: '/api/open/orders/sync/',
      headers: strict ? { prefer: 'handling=strict' } : {},
      signal,
      schedule: (attempt) => locks.run(ids, attempt),
      body: () => {
        sending = batch.filter(isNewest);
        return sending.length === 0 ? undefined : `{"orders":[${sending.map(({ json }) => json).join()}]}`;
      },
      mapDetails: (details) => detailsWithGivenIndexes(details, sending),
    });
    const isSent = new Set(sending);
    const superseded = batch.flatMap((order) => (isSent.has(order) ? [] : (order.id ?? [])));
    if (answer === undefined) return { ...nothingSent, superseded };
    const { data, warnings, order_ids: orderIds } = answer as Accepted;
    return {
      accepted_count: data.accepted_count,
      superseded,
      warnings: withGivenIndexes(warnings, sending),
      order_ids: withGivenIndexes(orderIds, sending),
    };
  }

  return async (orders, options = {}) => {
    const batches = splitOrders(orders, limits);
    const ids = batches.flat().flatMap(({ id }) => id ?? []);
    const call = (calls += 1);
    for (const id of ids) newest.set(id, call);
    const isNewest = ({ id, updatedAt }: PreparedOrder) =>
      id === undefined || !Number.isNaN(updatedAt) || newest.get(id) === call;
    let sent = nothingSent;
    try {
      for (const batch of batches) {
        const one = await sendBatch(batch, isNewest, options);
        sent = {
          accepted_count: sent.accepted_count + one.accepted_count,
          superseded: [...sent.superseded, ...one.superseded],
          warnings: { ...sent.warnings, ...one.warnings },
          order_ids: { ...sent.order_ids, ...one.order_ids },
        };
      }
      return sent;
    } catch (error) {
      if (error instanceof RewardhookError) error.acceptedCount = sent.accepted_count;
      throw error;
    } finally {
      for (const id of ids) if (newest.get(id) === call) newest.delete(id);
    }
  };
}
