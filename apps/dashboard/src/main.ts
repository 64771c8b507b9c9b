import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import { runProcess, serve } from '@rewardhook/process';
import { createApp } from './app.ts';
import { readDashboardSettings } from './environment.ts';
import type { Account } from './auth/accounts.ts';

await runProcess('dashboard', readDashboardSettings, async (settings, { log, release, check }) => {
  const redis = connectProducer(settings.REDIS_URL, log);
  const queues = openQueues(redis, settings.QUEUE_PREFIX);
  release('queues', () => Promise.all(queues.map((queue) => queue.close())));
  // Before the queues: they wait for a connection that never was.
  release('redis', () => disconnect(redis));

  const accounts: Account[] = [
    {
      role: 'operator',
      user: settings.DASHBOARD_OPERATOR_USER,
      password: settings.DASHBOARD_OPERATOR_PASSWORD,
    },
  ];
  const { DASHBOARD_VIEWER_USER: user, DASHBOARD_VIEWER_PASSWORD: password } = settings;
  if (password !== undefined) accounts.push({ role: 'viewer', user, password });
  else log.info('there is no viewer: DASHBOARD_VIEWER_PASSWORD is not set');

  check('redis', () => Promise.all(queues.map((queue) => queue.getWaitingCount())));
  const app = createApp({
    queues,
    accounts,
    isRedisReady: () => redis.status === 'ready',
    trustedProxies: settings.DASHBOARD_TRUST_PROXY,
    log,
  });
  const server = await serve(app, settings.DASHBOARD_HOST, settings.DASHBOARD_PORT);
  release('http', server.close);
  log.info('listening', { url: server.url });
});
