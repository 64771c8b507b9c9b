import type { AttemptRecord, ClaimedDelivery } from '@rewardhook/database/stages';
import { measureLatency } from '@rewardhook/process';
import type { Metrics } from '@rewardhook/process';
import type { HealthStage } from './circuit-breaker.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';

/** The counters of the deliver stage. */
export interface DeliveryMetrics {
  countAttempt(attempt: Pick<AttemptRecord, 'status' | 'errorClass' | 'state'>): void;
  countConnection(attempt: Pick<ClassifiedAttempt, 'connectionReused'>): void;
  countStage(stage: HealthStage): void;
  /** Records how long a delivery took to its first attempt, and until it was delivered, unless it was restarted. */
  observeAttempt(
    delivery: Pick<ClaimedDelivery, 'attemptsMade' | 'scheduleStep' | 'createdAt'>,
    outcome: ClassifiedAttempt['outcome'],
  ): void;
}

/** Registers the counters. */
export function openDeliveryMetrics(metrics: Metrics): DeliveryMetrics {
  const attempts = metrics.counter('attempts_total', 'Webhook attempts by status or error class', [
    'outcome',
  ]);
  const stages = metrics.counter('endpoint_changes_total', 'Transitions of endpoints', ['stage']);
  const connections = metrics.counter(
    'webhook_connections_total',
    'Attempts by whether they reused an open connection',
    ['reused'],
  );
  const latency = measureLatency(metrics);
  const delivered = metrics.counter(
    'deliveries_delivered_total',
    'Deliveries answered with 2xx; sum over replicas',
  );
  const exhausted = metrics.counter(
    'deliveries_exhausted_total',
    'Deliveries that failed with no retries left; sum over replicas',
  );
  return {
    countAttempt({ errorClass, status, state }) {
      attempts.inc({ outcome: errorClass ?? String(status) });
      if (state === 'delivered') delivered.inc();
      if (state === 'exhausted') exhausted.inc();
    },
    // Attempts that sent nothing used no connection.
    countConnection: ({ connectionReused }) => {
      if (connectionReused !== undefined) connections.inc({ reused: String(connectionReused) });
    },
    countStage: (stage) => stages.inc({ stage }),
    observeAttempt({ attemptsMade, scheduleStep, createdAt }, outcome) {
      const seconds = Math.max(0, Date.now() / 1_000 - createdAt);
      if (attemptsMade === 0) latency.observe({ stage: 'first_attempt' }, seconds);
      if (outcome === 'delivered' && attemptsMade === scheduleStep)
        latency.observe({ stage: 'delivered' }, seconds);
    },
  };
}
