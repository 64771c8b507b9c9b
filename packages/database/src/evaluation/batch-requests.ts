import type { BatchRequest, ClaimedBatch } from './due-batches.ts';

/** The requests of some batches, by order. */
export interface BatchRequests {
  /** The request that an order came with; undefined when it is not known. */
  ofOrder(orderId: string): BatchRequest | undefined;
  /** The request of all orders, if there is only one. */
  only: BatchRequest | undefined;
}

/**
 * Reads the requests of claimed batches. `trace` replaces them, once for all batches. An order that is in several batches
 * has the request of its highest version.
 */
export function batchRequests(
  batches: ClaimedBatch[],
  trace: (requests: BatchRequest[]) => BatchRequest[],
): BatchRequests {
  const distinct = new Map<string, BatchRequest>();
  for (const { requests } of batches)
    for (const request of requests ?? []) distinct.set(keyOf(request), request);
  const traced = distinct.size > 0 ? trace([...distinct.values()]) : [];
  const tracedOf = new Map([...distinct.keys()].map((key, index) => [key, traced[index]]));

  const byOrder = new Map<string, { version: number; request: BatchRequest }>();
  for (const { orderIds, orderVersions, requests } of batches) {
    if (!requests) continue;
    const common = requests.find(({ version }) => version === undefined);
    const byVersion = new Map(requests.map((request) => [request.version, request]));
    orderIds.forEach((orderId, index) => {
      const version = orderVersions[index] ?? 0;
      const request = byVersion.get(version) ?? common;
      const known = byOrder.get(orderId);
      if (request && (!known || known.version < version))
        byOrder.set(orderId, { version, request: tracedOf.get(keyOf(request)) ?? request });
    });
  }
  const only = traced.length === 1 ? traced[0] : undefined;
  const all = only?.version === undefined ? only : undefined;
  return { ofOrder: (orderId) => byOrder.get(orderId)?.request ?? all, only };
}

const keyOf = ({ version, id }: BatchRequest) => `${version ?? ''} ${id}`;
