import type { BatchRequest, TraceRequests } from '@rewardhook/database/stages';
import type { RequestTrace, Span, Tracing } from '@rewardhook/process';

/** The part of some batches in the traces of their requests. */
export interface EvaluationTraces {
  /** Begins a span for each request, once. Returns the requests with the traceparents of these spans. */
  begin: TraceRequests;
  end(error?: unknown): void;
  /** The requests of the batches, once they were claimed. */
  requests(): RequestTrace[];
}

/** Requests of an evaluation that get a span. A batch has up to 1,000 requests. */
const maxSpans = 50;

/**
 * Each request has a trace of its own, so the evaluation of batches has a span in each of them; the spans link to each
 * other.
 */
export function openEvaluationTraces(
  tracing: Tracing,
  { merchantId, batchIds }: { merchantId: string; batchIds: string[] },
): EvaluationTraces {
  const spans: Span[] = [];
  let traced: BatchRequest[] | undefined;

  const begin = (requests: BatchRequest[]): BatchRequest[] => {
    if (!tracing.enabled) return requests;
    const parents = requests.flatMap(({ traceparent }) => traceparent ?? []);
    const attributes = {
      'rewardhook.merchant_id': merchantId,
      'rewardhook.batch_id': batchIds.join(','),
      'rewardhook.requests': requests.length,
    };
    return requests.map((request, index) => {
      const { id, traceparent: parent } = request;
      if (parent === undefined || index >= maxSpans) return request;
      const span = tracing.startSpan('evaluate orders', {
        kind: 'consumer',
        parent,
        links: parents.filter((other) => other !== parent),
        attributes: { ...attributes, 'rewardhook.request_id': id },
      });
      spans.push(span);
      return { ...request, traceparent: span.traceparent };
    });
  };
  return {
    begin: (requests) => (traced ??= begin(requests)),
    end(error) {
      for (const span of spans) span.end(error);
    },
    requests: () => (traced ?? []).map(({ id, traceparent }) => ({ requestId: id, traceparent })),
  };
}
