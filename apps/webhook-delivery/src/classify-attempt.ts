import type { AttemptRecord, ClaimedDelivery, SendableEndpoint } from '@rewardhook/database/stages';
import { attemptColumns, isDelivered, nextDelayMs } from '@rewardhook/webhook';
import type { AttemptResult, SentDelivery } from '@rewardhook/webhook';

/** The consequences of an attempt for its delivery and its endpoint. */
export interface ClassifiedAttempt {
  /** What is stored, including the next state of the delivery. */
  record: AttemptRecord;
  /** How the circuit breaker counts it. An attempt that this process aborted is not counted. */
  outcome: 'delivered' | 'failed' | 'aborted';
  /** The backoff that the receiver requested (`Retry-After`). */
  retryAfterSeconds: number | undefined;
  /** The receiver answered 410 Gone: the endpoint is disabled. */
  gone: boolean;
  /** Whether the receiver is overloaded: the concurrency limit is lowered. */
  overloaded: boolean;
  /** Whether an open connection was reused; undefined when nothing was sent. */
  connectionReused: boolean | undefined;
}

/** An attempt with what decides its consequences. */
export interface AttemptContext {
  delivery: Pick<ClaimedDelivery, 'id' | 'leaseExpiresAt' | 'scheduleStep'>;
  endpoint: Pick<SendableEndpoint, 'merchantId' | 'url' | 'retryHours'>;
  /** Whether it is the probe of an open breaker, which does not advance the retry schedule. */
  probe: boolean;
}

const hourMs = 3_600_000;

/**
 * Classifies an attempt. Only 2xx is a success. A failed delivery is retried at the next time of its schedule, and is
 * `exhausted` when there is none. An attempt that this process aborted is due again at once.
 */
export function classifyAttempt(
  { startedAt, result }: SentDelivery,
  { delivery, endpoint, probe }: AttemptContext,
): ClassifiedAttempt {
  const outcome = outcomeOf(result);
  const answer = result.result === 'response' ? result : undefined;
  const retryAfterSeconds = outcome === 'delivered' ? undefined : answer?.retryAfterSeconds;
  const advancesSchedule = outcome === 'delivered' || (outcome === 'failed' && !probe);
  const retryMs = outcome === 'delivered' ? undefined : advancesSchedule ? scheduledDelayMs() : 0;

  function scheduledDelayMs(): number | undefined {
    return nextDelayMs({
      attemptsMade: delivery.scheduleStep + 1,
      retryAfterSeconds,
      horizonMs: endpoint.retryHours === null ? undefined : endpoint.retryHours * hourMs,
    });
  }

  const columns = attemptColumns(result);
  return {
    // Field by field: spreading the columns takes several times as long as the rest of this function.
    record: {
      status: columns.status,
      errorClass: columns.errorClass,
      errorMessage: columns.errorMessage,
      timings: columns.timings,
      responseBody: columns.responseBody,
      warning: columns.warning,
      retriedOnNewConnection: columns.retriedOnNewConnection,
      ignored: columns.ignored,
      requestHeaders: columns.requestHeaders,
      responseHeaders: columns.responseHeaders,
      deliveryId: delivery.id,
      merchantId: endpoint.merchantId,
      leaseExpiresAt: delivery.leaseExpiresAt,
      startedAt: startedAt.toISOString(),
      url: endpoint.url,
      advancesSchedule,
      state: outcome === 'delivered' ? 'delivered' : retryMs === undefined ? 'exhausted' : 'pending',
      retryInSeconds: retryMs === undefined ? null : retryMs / 1_000,
    },
    outcome,
    retryAfterSeconds,
    gone: answer?.status === 410,
    overloaded: outcome !== 'delivered' && isOverloaded(result),
    connectionReused: result.requestHeaders && result.connectionReused,
  };
}

function outcomeOf(result: AttemptResult): ClassifiedAttempt['outcome'] {
  if (isDelivered(result)) return 'delivered';
  return result.result === 'error' && result.errorClass === 'aborted' ? 'aborted' : 'failed';
}

const overloadStatuses = new Set([429, 502, 503, 504]);

function isOverloaded(result: AttemptResult): boolean {
  if (result.result === 'response') return overloadStatuses.has(result.status);
  return ['timeout', 'reset', 'connect'].includes(result.errorClass);
}
