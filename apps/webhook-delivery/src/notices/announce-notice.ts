import type { NewNotice } from '@rewardhook/database';
import type { Logger, Metrics } from '@rewardhook/process';
import { lineAbout, redactUrl } from './redact-url.ts';

const messages: Record<NewNotice['type'], string> = {
  'endpoint.failing': 'an endpoint fails: what is due to it is kept, single probes go out',
  'endpoint.disabling_soon': 'an endpoint has failed for long and will be disabled',
  'endpoint.disabled': 'an endpoint is disabled',
};

/** Tells the operator of a notice that was committed. */
export type AnnounceNotice = (merchantId: string, notice: NewNotice) => void;

/** Tells of notices by a line in the log and by the counter `rewardhook_endpoint_notices_total{type}`. */
export function openAnnouncer(log: Logger, metrics: Metrics): AnnounceNotice {
  const notices = metrics.counter('endpoint_notices_total', 'Notices about failing endpoints by stage', [
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
      reason: lineAbout(data.endpoint.url, data.reason),
    });
  };
}
