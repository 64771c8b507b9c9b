import { redactText, redactUrl } from '@rewardhook/contract';
import type { NewNotice } from '@rewardhook/database/stages';
import type { Logger, Metrics } from '@rewardhook/process';

const messages: Record<NewNotice['type'], string> = {
  'endpoint.failing': 'an endpoint is failing: deliveries wait, single probes are sent',
  'endpoint.disabling_soon': 'an endpoint has been failing and will be disabled',
  'endpoint.disabled': 'an endpoint was disabled',
};

/** Reports a committed notice to the operator. */
export type LogNotice = (merchantId: string, notice: NewNotice) => void;

/** Reports notices as a warning in the log and by the counter `rewardhook_endpoint_notices_total{type}`. */
export function openNoticeLog(log: Logger, metrics: Metrics): LogNotice {
  const notices = metrics.counter('endpoint_notices_total', 'Notices about failing endpoints by type', [
    'type',
  ]);
  return (merchantId, { type, endpointId, data }) => {
    notices.inc({ type });
    log.warn(messages[type], {
      type,
      merchantId,
      endpointId,
      host: redactUrl(data.endpoint.url).host,
      failingSince: data.failing_since,
      failuresInARow: data.failures_in_a_row,
      disabledAt: data.disabled_at,
      reason: redactText(data.endpoint.url, data.reason).slice(0, 300),
    });
  };
}
