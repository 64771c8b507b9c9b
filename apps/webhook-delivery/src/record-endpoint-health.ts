import { describeDisabledReason } from '@rewardhook/contract';
import type { DisabledReason } from '@rewardhook/contract';
import type { AttemptRecord, EndpointHealth, NewNotice, SendableEndpoint } from '@rewardhook/database/stages';
import type { Producer } from '@rewardhook/pipeline';
import { disabledAt } from './circuit-breaker.ts';
import type { HealthStage } from './circuit-breaker.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DispatchResult } from './dispatch-state.ts';
import type { LogNotice } from './log-notice.ts';

const noticeTypes: Partial<Record<HealthStage, NewNotice['type']>> = {
  opened: 'endpoint.failing',
  warned: 'endpoint.disabling_soon',
  disabled: 'endpoint.disabled',
};

/** What recording the health of an endpoint needs. */
interface HealthDependencies {
  store: DeliveryStore;
  queue: Producer<'webhook-delivery'>;
  metrics: DeliveryMetrics;
  logNotice: LogNotice;
}

/**
 * Stores the new health and backoff of an endpoint after a dispatch. A transition also disables the endpoint if
 * required, and notifies the merchant and the operator. Without a change no statement is run.
 */
export async function recordEndpointHealth(
  { store, queue, metrics, logNotice }: HealthDependencies,
  endpoint: SendableEndpoint,
  result: DispatchResult,
): Promise<void> {
  const { merchantId, id: endpointId } = endpoint;
  const { gone, lastFailure } = result;
  let { backoffSeconds } = result;
  if (result.newEndpointFailed) {
    backoffSeconds = Math.max(backoffSeconds ?? 0, await store.reserveHostSlot(endpoint.url));
  }
  if (!result.health && backoffSeconds === null && !gone) return;

  const health = result.health ?? endpoint.health;
  const seen = { url: endpoint.url, failuresInARow: endpoint.health.failuresInARow };
  const update = { merchantId, endpointId, seen, health, backoffSeconds };
  const stages: HealthStage[] = gone ? [...result.stages, 'disabled'] : result.stages;
  for (const stage of stages) metrics.countStage(stage);
  if (stages.length === 0) return store.updateHealth(update);

  const disabledReason = stages.includes('disabled') ? disabledReasonOf(result) : null;
  const notices = stages.flatMap((stage) => {
    const type = noticeTypes[stage];
    const reason =
      stage === 'disabled' ? describeDisabledReason(disabledReasonOf(result)) : describeFailure(lastFailure);
    return type ? [{ type, endpointId, data: noticeData(endpoint, health, type, reason) }] : [];
  });
  const { notified, endpointIds } = await store.recordTransition({ update, disabledReason, notices });
  for (const notice of notified) logNotice(merchantId, notice);
  await queue.enqueue(endpointIds.map((id) => ({ merchantId, endpointId: id })));
}

function disabledReasonOf({ gone, lastFailure }: DispatchResult): DisabledReason {
  if (gone) return { code: 'receiver_gone', parameters: {} };
  return lastFailure?.errorClass === null
    ? { code: 'failing_with_status', parameters: { status: lastFailure.status ?? 0 } }
    : { code: 'failing_with_error', parameters: { error: describeFailure(lastFailure) } };
}

function describeFailure(attempt: AttemptRecord | undefined): string {
  if (!attempt) return '';
  const { status, errorClass, errorMessage } = attempt;
  return errorClass === null ? `it answered ${status}` : `${errorClass}: ${errorMessage}`;
}

function noticeData(
  { id, url }: SendableEndpoint,
  { failingSince, failuresInARow }: EndpointHealth,
  type: NewNotice['type'],
  reason: string,
): NewNotice['data'] {
  const since = failingSince ?? new Date();
  const disabled = type === 'endpoint.disabled' ? new Date() : disabledAt(since);
  return {
    endpoint: { id, url },
    failing_since: since.toISOString(),
    failures_in_a_row: failuresInARow,
    disabled_at: disabled.toISOString(),
    reason,
  };
}
