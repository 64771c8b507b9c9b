import { connectQueues, followShards, openHousekeepingQueue, openQueues } from '@rewardhook/pipeline';
import { serve, withoutTrailingSlashes } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { createApp } from './app.ts';
import type { Account } from './auth/accounts.ts';
import type { DashboardSettings } from './environment.ts';

/** How long a command may take, in milliseconds: a page of large jobs has tens of megabytes. */
const readTimeoutMs = 10_000;

/** Starts the dashboard. Returns its URL. */
export async function startDashboard(
  settings: DashboardSettings,
  context: ProcessContext,
): Promise<{ url: string }> {
  const { log, release, check } = context;
  const { redis, check: checkRedis } = connectQueues(settings, context, { timeoutMs: readTimeoutMs });
  const { QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards } = settings;
  const queues = [...openQueues(redis, prefix, shards), openHousekeepingQueue(redis, prefix)];
  const following = followShards(redis, { prefix, shards, log }, (known) => {
    const used = openQueues(redis, prefix, known);
    const isOpen = (queue: (typeof used)[number]) =>
      queues.some(({ name, opts }) => name === queue.name && opts.prefix === queue.opts.prefix);
    for (const queue of used) {
      if (isOpen(queue)) void queue.close();
      else queues.push(queue);
    }
  });
  release('registration of shards', () => following.stop());
  // A queue that was never connected would wait for its connection.
  release('queues', () => redis.status === 'ready' && Promise.all(queues.map((queue) => queue.close())));
  check('redis', checkRedis);

  const accounts: Account[] = [
    { role: 'operator', user: 'operator', password: settings.DASHBOARD_OPERATOR_PASSWORD },
  ];
  const password = settings.DASHBOARD_VIEWER_PASSWORD;
  if (password !== undefined) accounts.push({ role: 'viewer', user: 'viewer', password });
  else log.info('there is no viewer account: DASHBOARD_VIEWER_PASSWORD is not set');

  const app = createApp({
    queues,
    accounts,
    isRedisReady: () => redis.status === 'ready',
    trustedProxies: settings.DASHBOARD_TRUST_PROXY,
    consoleUrl: settings.CONSOLE_PUBLIC_URL && withoutTrailingSlashes(settings.CONSOLE_PUBLIC_URL),
    accessLog: context.accessLog,
    tracing: context.tracing,
    log,
  });
  const { LISTEN_HOST: host, DASHBOARD_PORT: port, SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds } = settings;
  const { HTTP_KEEP_ALIVE_SECONDS: keepAliveSeconds } = settings;
  return serve(app, { host, port, shutdownDelaySeconds, keepAliveSeconds }, context);
}
