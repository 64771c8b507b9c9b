import {
  connectSql,
  findInstallationId,
  isDatabaseOutage,
  openSealer,
  parkEndpoint,
} from '@rewardhook/database/stages';
import { connectStage } from '@rewardhook/pipeline';
import { loopbackWarning } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import { logAttempts } from './log-attempts.ts';
import { openDeliveryMetrics } from './delivery-metrics.ts';
import { openDeliveryStore } from './delivery-store.ts';
import { openDispatcher } from './dispatch-endpoint.ts';
import type { DeliverySettings } from './environment.ts';
import { openNoticeLog } from './log-notice.ts';
import { startDueSweeper, startReplaySweeper, startStraySweeper } from './sweepers.ts';

/** How long requests in flight may take to complete when the process ends, in milliseconds. */
const shutdownGraceMs = 4_000;

/** Dispatches at a time: one for each endpoint. */
const concurrency = 2_000;

/** Maximum number of requests in flight to one endpoint. The limit starts at 4 and adapts to its responses. */
const endpointConcurrency = 32;

/**
 * Starts the deliver stage: the worker and its sweepers. `newEndpointSeconds` is for tests: the seconds between two requests to a
 * webhook whose URL never answered with 2xx, and between those to all such webhooks of a host that have failed; 0 sets no limit.
 */
export async function startWebhookDelivery(
  settings: DeliverySettings,
  context: ProcessContext,
  { newEndpointSeconds = 1 }: { newEndpointSeconds?: number | undefined } = {},
): Promise<void> {
  const { log, metrics, release } = context;
  const sealer = openSealer(settings.SECRETS_KEY);
  const database = connectSql(settings, context, { sealer });
  const queues = connectStage('webhook-delivery', settings, context, () => findInstallationId(database));
  const queue = queues.openProducer('webhook-delivery');
  if (settings.WEBHOOK_ALLOW_LOOPBACK) log.warn(loopbackWarning);
  const client = openWebhookClient({
    allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK,
    // Each endpoint has its own limit. Endpoints that share a host must not use up each other's connections.
    maxSocketsPerOrigin: 65_536,
  });
  release('webhook client', () => client.close());

  const shutdown = new AbortController();
  const deliveryMetrics = openDeliveryMetrics(metrics);
  const store = openDeliveryStore(database, {
    newEndpointSeconds,
    onRecorded: deliveryMetrics.countAttempt,
    onRequests: (attempts, requests) => logAttempts(log, attempts, requests),
    onOutage: (error) => log.warn('attempts cannot be recorded; recording is retried', { error }),
    shutdown: shutdown.signal,
  });
  const dispatcher = openDispatcher({
    store,
    queue,
    client,
    sealer,
    metrics: deliveryMetrics,
    tracing: context.tracing,
    logNotice: openNoticeLog(log, metrics),
    endpointConcurrency,
    newEndpointSeconds,
    shutdown: shutdown.signal,
  });

  const sweeping = { database, queue, log };
  const dueSweeper = startDueSweeper(sweeping, dispatcher.isActive);
  release('sweeper of due deliveries', () => dueSweeper.stop());
  const replaySweeper = startReplaySweeper(sweeping);
  release('sweeper of replays', () => replaySweeper.stop());
  const straySweeper = startStraySweeper(sweeping);
  release('sweeper of stray deliveries', () => straySweeper.stop());

  // Started last, so that at shutdown it is closed right after the dispatches are stopped: until then it completes the jobs
  // that it takes without sending anything.
  queues.startWorker(dispatcher.dispatch, {
    concurrency,
    isOutage: isDatabaseOutage,
    onParked: (job, { message }) => parkEndpoint(database, job, message),
  });
  release('dispatches', () => {
    shutdown.abort();
    // Requests in flight may complete for a while; then they are aborted, and are due again at once.
    setTimeout(() => void client.close(), shutdownGraceMs).unref();
  });
}
