import type { ErrorDetails } from './rewardhook-error.ts';
import type { PreparedOrder } from './split-orders.ts';

const orderPath = /^orders\[(\d{1,9})\]/;

/** Texts by path, with the index of each order in the list that was given instead of the one in its request. */
export function withGivenIndexes(
  texts: Readonly<Record<string, string>> | undefined,
  batch: readonly PreparedOrder[],
): Record<string, string> {
  const given = (path: string) => {
    const [prefix = '', index] = orderPath.exec(path) ?? [];
    const order = batch[Number(index)];
    return order ? `orders[${order.index}]${path.slice(prefix.length)}` : path;
  };
  return Object.fromEntries(Object.entries(texts ?? {}).map(([path, text]) => [given(path), text]));
}

/** The details of an error, with the indexes of the list that was given. */
export function detailsWithGivenIndexes(
  details: ErrorDetails,
  batch: readonly PreparedOrder[],
): ErrorDetails {
  const { params, orderIds } = details;
  return {
    ...details,
    params: params && withGivenIndexes(params, batch),
    orderIds: orderIds && withGivenIndexes(orderIds, batch),
  };
}
