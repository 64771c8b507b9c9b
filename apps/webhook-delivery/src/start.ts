import {
  cancelDeliveriesOfDeletedEndpoints,
  connectDatabase,
  deleteExpiredHosts,
  listDueEndpoints,
  openSealer,
  releaseHeldDeliveries,
} from '@rewardhook/database';
import { connectStage } from '@rewardhook/pipeline';
import { loopbackWarning, repeat } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import type { DeliverySettings } from './environment.ts';
import { openAnnouncer } from './notices/announce-notice.ts';
import { openDeliveryStore } from './delivery-store.ts';
import { concludeTurn } from './conclude-turn.ts';
import { startNoticeMail } from './notices/start-notice-mail.ts';
import { startReplaySweeper } from './replays/sweep-replays.ts';
import { serveEndpoint } from './serve-endpoint.ts';

/** How long requests in flight may take to end by themselves when the process ends, in milliseconds. */
const patienceMs = 4_000;

/** Starts the deliver stage with its sweeper. */
export async function startWebhookDelivery(
  settings: DeliverySettings,
  context: ProcessContext,
): Promise<void> {
  const { log, metrics, release } = context;
  const sealer = openSealer(settings.SECRETS_KEY);
  const database = connectDatabase(settings, context, { sealer });
  const queues = connectStage('webhook-delivery', settings, context);
  const delivery = queues.openProducer('webhook-delivery');
  if (settings.WEBHOOK_ALLOW_LOOPBACK) log.warn(loopbackWarning);
  const client = openWebhookClient({
    allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK,
    // Each endpoint has its own limit. Many may share a host, and one of them must not use up what the others need.
    maxSocketsPerOrigin: 65_536,
  });
  release('webhook client', () => client.close());

  const attempts = metrics.counter('attempts_total', 'Webhook attempts by what came of them', ['outcome']);
  const changes = metrics.counter('endpoint_changes_total', 'Endpoints by what became of them', ['stage']);
  const connections = metrics.counter(
    'webhook_connections_total',
    'Attempts by whether they went over a connection that was open already',
    ['reused'],
  );
  const serving = new Set<string>();
  const ending = new AbortController();
  const { NEW_WEBHOOK_SECONDS: newEndpointSeconds } = settings;
  const store = openDeliveryStore(database, {
    newEndpointSeconds,
    onRecorded: ({ errorClass, status }) => attempts.inc({ outcome: errorClass ?? String(status) }),
    onAway: (error) => log.warn('attempts cannot be stored for now and wait', { error }),
    ending: ending.signal,
  });
  queues.startWorker(
    serveEndpoint({
      store,
      sealer,
      client,
      conclude: concludeTurn({
        store,
        delivery,
        announce: openAnnouncer(log, metrics),
        onStage: (stage) => changes.inc({ stage }),
      }),
      delivery,
      onAttempt: ({ connectionReused }) => {
        if (connectionReused !== undefined) connections.inc({ reused: String(connectionReused) });
      },
      endpointConcurrency: settings.ENDPOINT_CONCURRENCY,
      newEndpointSeconds,
      serving,
      ending: ending.signal,
    }),
  );

  // Retries wake up here alone: when one is due stands in PostgreSQL, and Redis may be emptied at any time.
  const sweeper = repeat('sweep of deliveries', 500, log, async () => {
    const due = await listDueEndpoints(database);
    await delivery.enqueue(due.filter(({ endpointId }) => !serving.has(endpointId)));
  });
  release('sweeper', () => sweeper.stop());
  startNoticeMail(settings, database, context);
  const replays = startReplaySweeper({ database, delivery, log });
  release('replay sweeper', () => replays.stop());
  // A judgement that saw an endpoint paused, or there, may commit after the pause or the endpoint has ended: what it
  // held, or made due, would wait for ever.
  const strays = repeat('settling of stray deliveries', 5_000, log, async () => {
    await delivery.enqueue(await releaseHeldDeliveries(database));
    await cancelDeliveriesOfDeletedEndpoints(database);
    await deleteExpiredHosts(database);
  });
  release('settling of stray deliveries', () => strays.stop());
  release('turns', () => {
    ending.abort();
    // What is in flight may end by itself for a while; then it is cut off and due again at once.
    setTimeout(() => void client.close(), patienceMs).unref();
  });
}
