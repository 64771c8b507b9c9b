import type { EndpointHealth, NewNotice, SendableEndpoint } from '@rewardhook/database';
import type { Producer } from '@rewardhook/pipeline';
import type { DeliveryStore } from './delivery-store.ts';
import { disabledAt } from './endpoint-health.ts';
import type { TurnResult } from './endpoint-turn.ts';
import type { AnnounceNotice } from './notices/announce-notice.ts';

type Stage = TurnResult['stages'][number];

const noticeTypes: Partial<Record<Stage, NewNotice['type']>> = {
  opened: 'endpoint.failing',
  warned: 'endpoint.disabling_soon',
  disabled: 'endpoint.disabled',
};

/** Stores what a turn has shown of an endpoint, disables it where that follows, and tells of it. */
export function concludeTurn(options: {
  store: DeliveryStore;
  delivery: Producer<'webhook-delivery'>;
  announce: AnnounceNotice;
  onStage(stage: Stage): void;
}): (endpoint: SendableEndpoint, turn: TurnResult) => Promise<void> {
  const { store, delivery, announce, onStage } = options;
  return async (endpoint, turn) => {
    const { merchantId, id } = endpoint;
    const { gone } = turn;
    const hostSeconds = turn.newFailed ? await store.reserveHostSlot(endpoint.url) : null;
    const backoffSeconds =
      hostSeconds === null ? turn.backoffSeconds : Math.max(turn.backoffSeconds ?? 0, hostSeconds);
    if (!turn.health && backoffSeconds === null && !gone) return;
    const health = turn.health ?? endpoint.health;
    const stages: Stage[] = gone ? [...turn.stages, 'disabled'] : turn.stages;
    const disabledReason = gone
      ? 'The receiver answered 410 Gone.'
      : stages.includes('disabled')
        ? `Every attempt of the last five days failed; the last one: ${turn.lastFailure}.`
        : null;
    const notices = stages.flatMap((stage) => {
      const type = noticeTypes[stage];
      const reason = stage === 'disabled' && disabledReason ? disabledReason : turn.lastFailure;
      return type ? [{ type, endpointId: id, data: noticeData(endpoint, health, type, reason) }] : [];
    });
    const seen = { url: endpoint.url, failuresInARow: endpoint.health.failuresInARow };
    const finding = { merchantId, endpointId: id, seen, health, backoffSeconds };
    stages.forEach(onStage);
    if (stages.length === 0) return store.storeFinding(finding);
    const { notified, endpointIds } = await store.storeChange({ finding, disabledReason, notices });
    for (const notice of notified) announce(merchantId, notice);
    await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
  };
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
