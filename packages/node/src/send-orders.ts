import { callApi } from './call-api.ts';
import type { CallSettings } from './call-api.ts';
import { detailsWithGivenIndexes, withGivenIndexes } from './given-indexes.ts';
import { openKeyLocks } from './key-locks.ts';
import type { InvalidOrder, OrderInput, SentOrders } from './orders.ts';
import { RewardhookError } from './rewardhook-error.ts';
import { splitOrders } from './split-orders.ts';
import type { BatchLimits, PreparedOrder } from './split-orders.ts';

/** Options of one call of `orders.send`. */
export interface SendOptions {
  /** Whether unknown fields are refused instead of ignored with a warning. Default false. */
  strict?: boolean;
  /**
   * What is done when the API refuses an order as invalid. `throw`: the call ends with the error, and no order of its request is
   * accepted. `skip`: the request is sent again without the invalid orders, which the result has in `invalid`. Default `throw`.
   */
  onInvalid?: 'throw' | 'skip';
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

const nothingSent: SentOrders = {
  accepted_count: 0,
  superseded: [],
  invalid: [],
  warnings: {},
  order_ids: {},
};

/**
 * Opens the function that sends orders. For the API the request that arrives last counts, so of each order only one request
 * is in progress at a time, and a state is not sent, or sent again, when a later call has been given a newer one. This holds
 * within one process. A state with `updated_at` is always sent: the API knows which one is newer.
 *
 * The requests of a call are sent one after the other. The first one that fails ends the call; `acceptedCount` of the error
 * has the number of orders of those before. A request that is answered 413, by the API or by a proxy in front of it, is sent again
 * in two halves, down to one order.
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
      invalid: [],
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
      const waiting = [...batches];
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        try {
          sent = together(sent, await sendBatch(batch, isNewest, options));
        } catch (error) {
          const rest = restOf(batch, error, options);
          if (!rest) throw error;
          sent = together(sent, { ...nothingSent, invalid: rest.invalid });
          waiting.unshift(...rest.batches);
        }
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

function together(one: SentOrders, other: SentOrders): SentOrders {
  return {
    accepted_count: one.accepted_count + other.accepted_count,
    superseded: [...one.superseded, ...other.superseded],
    invalid: [...one.invalid, ...other.invalid],
    warnings: { ...one.warnings, ...other.warnings },
    order_ids: { ...one.order_ids, ...other.order_ids },
  };
}

/** What is left to send after a batch was refused, and the orders that are not sent again; undefined when the call has failed. */
function restOf(
  batch: readonly PreparedOrder[],
  error: unknown,
  { onInvalid = 'throw' }: SendOptions,
): { batches: PreparedOrder[][]; invalid: InvalidOrder[] } | undefined {
  if (!(error instanceof RewardhookError)) return undefined;
  if (error.status === 413) {
    const middle = Math.ceil(batch.length / 2);
    if (batch.length > 1) return { batches: [batch.slice(0, middle), batch.slice(middle)], invalid: [] };
    const [order] = batch;
    if (!order) return undefined;
    const path = `orders[${order.index}]`;
    error.params ??= { [path]: 'is larger than a request may be' };
    error.orderIds ??= order.id === undefined ? {} : { [path]: order.id };
  } else if (error.code !== 'invalid_request') return undefined;
  if (onInvalid !== 'skip') return undefined;
  const errors = errorsByOrder(error.params ?? {});
  const [good, bad] = [false, true].map((isBad) => batch.filter(({ index }) => errors.has(index) === isBad));
  if (!good || !bad || bad.length === 0) return undefined;
  const invalid = bad.map(({ index, id }) => ({ index, order_id: id, errors: errors.get(index) ?? {} }));
  return { batches: good.length > 0 ? [good] : [], invalid };
}

/** Errors by the index of their order; those of no order are left out. */
function errorsByOrder(params: Record<string, string>): Map<number, Record<string, string>> {
  const errors = new Map<number, Record<string, string>>();
  for (const [path, error] of Object.entries(params)) {
    const index = /^orders\[(\d+)\]/.exec(path)?.[1];
    if (index !== undefined) errors.set(Number(index), { ...errors.get(Number(index)), [path]: error });
  }
  return errors;
}
