import type { ClaimedDelivery, Sealer } from '@rewardhook/database/stages';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { openSemaphore } from '@rewardhook/process';
import type { Semaphore, Span, Tracing } from '@rewardhook/process';
import { isDelivered, sendDelivery } from '@rewardhook/webhook';
import type { SentDelivery, WebhookClient } from '@rewardhook/webhook';
import { classifyAttempt } from './classify-attempt.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { openDispatchState } from './dispatch-state.ts';
import type { DispatchState } from './dispatch-state.ts';
import { cacheEndpoint } from './endpoint-cache.ts';
import type { EndpointCache } from './endpoint-cache.ts';
import type { LogNotice } from './log-notice.ts';
import { recordEndpointHealth } from './record-endpoint-health.ts';

/** What the dispatcher works with; one set serves all endpoints of the process. */
export interface DispatchDependencies {
  store: DeliveryStore;
  queue: Producer<'webhook-delivery'>;
  client: WebhookClient;
  sealer: Sealer;
  metrics: DeliveryMetrics;
  tracing: Tracing;
  logNotice: LogNotice;
  /** Maximum number of requests in flight to one endpoint. */
  endpointConcurrency: number;
  /** Seconds between two requests to a new endpoint, until its first 2xx; 0 sets no limit. */
  newEndpointSeconds: number;
  /** Aborts when the process ends: no further request is started. */
  shutdown: AbortSignal;
}

/** What a dispatch did; kept with the job for the dashboard. */
export interface DispatchSummary {
  attempts: number;
  delivered: number;
  /** Whether the breaker of the endpoint is open after it. */
  breakerOpen: boolean;
}

/** The deliver stage of one process. */
export interface Dispatcher {
  /** Sends one endpoint the deliveries that are due, until none is left or it has to wait. */
  dispatch(job: Jobs['webhook-delivery']): Promise<DispatchSummary>;
  /** Whether a dispatch to this endpoint is running here, so that it needs no further job. */
  isActive(endpointId: string): boolean;
}

/**
 * Limits how many requests are started at once in this process, over all endpoints. A permit is released after 100 ms at
 * the latest, so slow receivers do not hold it. Without the limit, a thousand endpoints with a backlog start tens of
 * thousands of requests at the same moment, and none completes for seconds (decision 017).
 */
const startLimit = { permits: () => 256, maxHoldMs: 100 };
/**
 * Deliveries of a claim for each request in flight. The next claim begins when less than half of that is left, so that no
 * request waits for it. More would cost memory: thousands of endpoints can be active.
 */
const claimAhead = 2;
/** When nothing more is due while requests are in flight, the next claim follows after this time, then doubled. */
const firstClaimPauseMs = 250;
const longestClaimPauseMs = 2_000;
/** Attempts that may wait to be recorded before sending waits for them. */
const maxUnrecorded = 1_000;

/** Opens the dispatcher. */
export function openDispatcher(dependencies: DispatchDependencies): Dispatcher {
  const { store, queue, sealer } = dependencies;
  const active = new Set<string>();
  const starts = openSemaphore(startLimit);

  return {
    isActive: (endpointId) => active.has(endpointId),

    async dispatch({ merchantId, endpointId }) {
      const cache = await cacheEndpoint(() => store.findEndpoint({ merchantId, endpointId }), sealer);
      if (!cache) return { attempts: 0, delivered: 0, breakerOpen: false };
      const { endpoint } = cache;
      const state = openDispatchState(endpoint, dependencies);
      const run = new DispatchRun(dependencies, { cache, state, starts });
      active.add(endpointId);
      await run.sendDue().finally(() => active.delete(endpointId));
      const result = state.finish();
      await recordEndpointHealth(dependencies, endpoint, result);
      if (result.enqueueAgain) await queue.enqueue([{ merchantId, endpointId }]);
      const { breakerOpenedAt } = result.health ?? endpoint.health;
      return { ...run.summary, breakerOpen: breakerOpenedAt !== null };
    },
  };
}

function endSpan(span: Span, { result }: SentDelivery): void {
  if (result.result === 'response') {
    span.describe({ 'http.request.method': 'POST', 'http.response.status_code': result.status });
    span.end(isDelivered(result) ? undefined : `status ${result.status}`);
  } else span.end(result.errorClass);
}

/** What a dispatch needs besides the dependencies of the dispatcher. */
interface RunContext {
  cache: EndpointCache;
  state: DispatchState;
  /** Bounds the requests that all dispatches start at once. */
  starts: Semaphore;
}

/** One dispatch to one endpoint: claim → limit → send → classify → record, until nothing is left to do. */
class DispatchRun {
  readonly summary = { attempts: 0, delivered: 0 };
  readonly #store: DeliveryStore;
  readonly #client: WebhookClient;
  readonly #metrics: DeliveryMetrics;
  readonly #tracing: Tracing;
  readonly #context: RunContext;

  /** Claimed and not started, longest waiting first. */
  readonly #claimed: ClaimedDelivery[] = [];
  #claiming = false;
  /** Runs until the next claim is allowed. */
  #claimPause: NodeJS.Timeout | undefined;
  #claimPauseMs = firstClaimPauseMs;
  #inFlight = 0;
  readonly #recordings = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;
  /** Ends the wait of `sendDue` for a change. */
  #wake = () => {};

  constructor({ store, client, metrics, tracing }: DispatchDependencies, context: RunContext) {
    this.#store = store;
    this.#client = client;
    this.#metrics = metrics;
    this.#tracing = tracing;
    this.#context = context;
  }

  /**
   * Sends what is due, as many requests at a time as the limit allows. A slow request occupies one slot only: while it is
   * in flight, deliveries that become due are claimed and sent too. Resolves when nothing is due and nothing in flight,
   * or, once the dispatch is closed, when the requests in flight have ended. Rejects with the first error.
   */
  async sendDue(): Promise<void> {
    try {
      for (;;) {
        while (this.#mayStart()) void this.#deliver(this.#claimed.shift() as ClaimedDelivery);
        if (this.#mayClaim()) void this.#claimMore();
        if (this.#inFlight === 0 && !this.#claiming) break;
        await this.#nextChange();
      }
      if (this.#claimed.length > 0) await this.#store.release(this.#claimed);
    } finally {
      clearTimeout(this.#claimPause);
      // Also after an error: the next dispatch must not begin before these attempts are recorded.
      await Promise.all(this.#recordings);
    }
    if (this.#failure) throw this.#failure.error;
  }

  #isOpen(): boolean {
    return this.#failure === undefined && this.#context.state.isOpen();
  }

  #mayStart(): boolean {
    const { state } = this.#context;
    return this.#claimed.length > 0 && this.#inFlight < state.concurrencyLimit() && this.#isOpen();
  }

  #mayClaim(): boolean {
    if (this.#claiming || this.#claimPause) return false;
    return this.#claimed.length < this.#portion() / 2 && this.#isOpen();
  }

  /** The most deliveries of a claim. */
  #portion(): number {
    return claimAhead * this.#context.state.concurrencyLimit();
  }

  /** Resolves when a request, a claim or the pause before the next claim has ended. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Claims the next portion. When fewer are due than wanted, the next claim has to wait. */
  async #claimMore(): Promise<void> {
    this.#claiming = true;
    const { state } = this.#context;
    const wanted = this.#portion();
    try {
      const deliveries = await this.#claim(state.reserve(wanted));
      this.#claimed.push(...deliveries);
      if (deliveries.length > 0) this.#claimPauseMs = firstClaimPauseMs;
      if (deliveries.length < wanted) this.#pauseClaims();
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#claiming = false;
    this.#wake();
  }

  #pauseClaims(): void {
    this.#claimPause = setTimeout(() => {
      this.#claimPause = undefined;
      this.#wake();
    }, this.#claimPauseMs);
    this.#claimPauseMs = Math.min(longestClaimPauseMs, this.#claimPauseMs * 2);
  }

  /** Claims up to `limit` deliveries that are due. Manual retries come first. */
  async #claim(limit: number): Promise<ClaimedDelivery[]> {
    if (limit === 0) return [];
    const { cache, state } = this.#context;
    const { merchantId, id: endpointId, url, manualRetriesOnly } = cache.endpoint;
    const claim = { merchantId, endpointId, url, limit };
    let manualRetries = (await cache.get())?.endpoint.manualRetriesDue === true;
    while (state.isOpen()) {
      const { deliveries, expired } = await (manualRetries
        ? this.#store.claimManualRetries(claim)
        : this.#store.claimDue(claim));
      if (deliveries.length > 0) return deliveries;
      // Expired deliveries used up the limit: deliveries after them may still be due.
      if (expired > 0) continue;
      if (!manualRetries || manualRetriesOnly) return [];
      manualRetries = false;
    }
    return [];
  }

  /** Sends one claimed delivery and takes its result into account. */
  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    this.#inFlight += 1;
    try {
      const attempt = await this.#attempt(delivery, this.#inFlight);
      if (attempt) await this.#record(attempt, delivery.requestId ?? undefined);
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#inFlight -= 1;
    this.#wake();
  }

  /** Sends and classifies. Releases the delivery instead when nothing may be sent to the endpoint any more. */
  async #attempt(delivery: ClaimedDelivery, inFlight: number): Promise<ClassifiedAttempt | undefined> {
    const { cache, state, starts } = this.#context;
    const releasePermit = await starts.acquire();
    try {
      const current = await cache.get();
      if (!current) {
        state.stop();
        await this.#store.release([delivery]);
        return undefined;
      }
      const startedAt = performance.now();
      const { endpoint, signing } = current;
      const span = this.#startSpan(delivery);
      const sent = await sendDelivery(this.#client, {
        url: endpoint.url,
        deliveryId: delivery.id,
        eventType: delivery.eventType,
        attempt: delivery.attemptsMade + 1,
        body: delivery.body,
        signing,
        requestId: delivery.requestId ?? undefined,
        traceparent: span.traceparent,
      });
      endSpan(span, sent);
      const attempt = classifyAttempt(sent, { delivery, endpoint, probe: state.probe });
      state.observe(attempt, { startedAt, inFlight });
      this.#metrics.countConnection(attempt);
      this.#metrics.observeAttempt(delivery, attempt.outcome);
      this.summary.attempts += 1;
      if (attempt.outcome === 'delivered') this.summary.delivered += 1;
      return attempt;
    } finally {
      releasePermit();
    }
  }

  #startSpan(delivery: ClaimedDelivery): Span {
    const { merchantId, id, eventType, attemptsMade, requestId, traceparent } = delivery;
    return this.#tracing.startSpan('send webhook', {
      kind: 'client',
      parent: traceparent ?? undefined,
      attributes: {
        'rewardhook.merchant_id': merchantId,
        'rewardhook.delivery_id': id,
        'rewardhook.event_type': eventType,
        'rewardhook.attempt': attemptsMade + 1,
        'rewardhook.request_id': requestId ?? undefined,
        'rewardhook.endpoint_id': this.#context.cache.endpoint.id,
      },
    });
  }

  /** Records in the background, so that the next request can start. Waits only when too many are not recorded yet. */
  async #record({ record }: ClassifiedAttempt, requestId: string | undefined): Promise<void> {
    const recording = this.#store
      .record(record, requestId)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#recordings.delete(recording));
    this.#recordings.add(recording);
    if (this.#recordings.size > maxUnrecorded) await recording;
  }
}
