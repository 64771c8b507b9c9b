import { fileURLToPath } from 'node:url';
import { connectDatabase, findFreeVersion, findInstallationId, openSealer } from '@rewardhook/database';
import {
  connectQueues,
  enqueueDueWith,
  intakeCommandTimeoutMs,
  openIntake,
  openRateLimits,
} from '@rewardhook/pipeline';
import {
  loopbackWarning,
  openAddressHash,
  serve,
  webhookLimits,
  withoutTrailingSlashes,
} from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import { createApp } from './app.ts';
import { limitUnauthenticatedEntries } from './people/unauthenticated-entries.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import type { ConsoleSettings } from './environment.ts';
import { openConfiguredMailer } from '@rewardhook/mail';
import { openDeviceCookie } from './account/device-cookie.ts';
import { openLoginLimits } from './account/login-limits.ts';
import { openPasswords } from './account/passwords.ts';
import { openSessionCookie } from './account/session-cookie.ts';
import { sessionTimes } from './account/sessions.ts';
import { openAccountMails } from './account/account-mails.ts';

/** Of one client address to routes that need no session: sign-in, sign-up, links in mails, invitations. */
const addressRequestsPerSecond = 10;

/** The output of `vite build`; the path is the same from `src` and from `dist`. */
const builtPage = fileURLToPath(new URL('../dist-web', import.meta.url));

/** Starts the console. `changes` replace dependencies in tests. Returns its URL and its dependencies. */
export async function startConsole(
  settings: ConsoleSettings,
  context: ProcessContext,
  changes: Partial<ConsoleDependencies> = {},
): Promise<{ url: string; dependencies: ConsoleDependencies }> {
  const { log, metrics, release } = context;
  const { SECRETS_KEY: secretsKey, WEBHOOK_ALLOW_LOOPBACK: allowLoopbackHttp } = settings;
  const sealer = openSealer(secretsKey);
  const database = connectDatabase(settings, context, { sealer });
  const { redis, installation, openProducer, check } = connectQueues(settings, context, {
    installationId: () => findInstallationId(database),
    timeoutMs: intakeCommandTimeoutMs,
  });
  // Sign-in works without Redis.
  context.check('redis', check, { required: false });
  if (allowLoopbackHttp) log.warn(loopbackWarning);
  const enqueueDue = enqueueDueWith(openProducer('reward-evaluation'), openProducer('webhook-delivery'), log);
  const shards = { prefix: settings.QUEUE_PREFIX, shards: settings.QUEUE_SHARDS };
  const intake = openIntake(redis, {
    ...shards,
    findFreeVersion: () => findFreeVersion(database),
    installation,
    log,
  });
  release('intake', () => intake.close());
  const webhookClient = openWebhookClient({ allowLoopbackHttp });
  release('webhook client', () => webhookClient.close());

  const publicUrl = withoutTrailingSlashes(
    settings.CONSOLE_PUBLIC_URL ?? `http://127.0.0.1:${settings.CONSOLE_PORT}`,
  );
  const apiPublicUrl = settings.API_PUBLIC_URL && withoutTrailingSlashes(settings.API_PUBLIC_URL);
  const https = publicUrl.startsWith('https:');
  const mailer = openConfiguredMailer(settings);
  const mails = mailer && openAccountMails({ database, mailer, publicUrl, metrics, log });
  if (mails) release('mail about accounts', () => mails.stop());
  else log.warn('mail is not configured: sign-up, invitations and password resets by mail are not available');
  const refused = metrics.counter('requests_refused_total', 'Responses 429 by limit', ['reason']);
  const openRateLimit = openRateLimits(redis, { ...shards, check });
  const dependencies: ConsoleDependencies = {
    database,
    sealer,
    passwords: await openPasswords(),
    limits: openLoginLimits({ redis, prefix: settings.QUEUE_PREFIX, secretsKey }),
    cookie: openSessionCookie({ https, maxAgeSeconds: sessionTimes.maxSeconds }),
    device: openDeviceCookie({ https, secretsKey }),
    mails,
    webhookLimits,
    openRateLimit,
    hashAddress: openAddressHash(secretsKey),
    addressRequestsPerSecond,
    onLimited: (reason) => refused.inc({ reason }),
    mayRecordUnauthenticated: limitUnauthenticatedEntries(openRateLimit, log),
    intake,
    enqueueDue,
    webhookClient,
    publicUrl,
    apiPublicUrl,
    allowLoopbackHttp,
    trustedProxies: settings.CONSOLE_TRUST_PROXY,
    pageFolder: builtPage,
    metrics,
    accessLog: context.accessLog,
    tracing: context.tracing,
    log,
    ...changes,
  };
  const { LISTEN_HOST: host, CONSOLE_PORT: port, SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds } = settings;
  const { HTTP_KEEP_ALIVE_SECONDS: keepAliveSeconds } = settings;
  const { url } = await serve(
    createApp(dependencies),
    { host, port, shutdownDelaySeconds, keepAliveSeconds },
    context,
  );
  return { url, dependencies };
}
