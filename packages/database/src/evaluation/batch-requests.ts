import type { BatchRequest, ClaimedBatch } from './due-batches.ts';

/** The requests of a batch, by order. */
export interface BatchRequests {
  /** The request that an order came with; undefined when it is not known. */
  ofOrder(orderId: string): BatchRequest | undefined;
  /** The request of all orders, if there is only one. */
  only: BatchRequest | undefined;
}

/** Reads the requests of a claimed batch. `trace` replaces them, once for the batch. */
export function batchRequests(
  { orderIds, orderVersions, requests }: ClaimedBatch,
  trace: (requests: BatchRequest[]) => BatchRequest[],
): BatchRequests {
  const traced = requests ? trace(requests) : [];
  const common = traced.find(({ version }) => version === undefined);
  const byVersion = new Map(traced.map((request) => [request.version, request]));
  const byOrder = new Map<string, BatchRequest>();
  if (traced.length > 0)
    orderVersions?.forEach((version, index) => {
      const request = byVersion.get(version);
      if (request) byOrder.set(orderIds[index] as string, request);
    });
  return {
    ofOrder: (orderId) => byOrder.get(orderId) ?? common,
    only: traced.length === 1 ? traced[0] : undefined,
  };
}
