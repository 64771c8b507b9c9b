import {
  findKeyOwner,
  openDatabase,
  openSealer,
  updateApiKeysLastUsed,
  watchDatabase,
} from '@rewardhook/database';
import {
  checkDurability,
  connectProducer,
  describeMemory,
  disconnect,
  openIntake,
  openProducer,
  openVelocity,
  withLocalFallback,
} from '@rewardhook/pipeline';
import { openAddressHash, runProcess } from '@rewardhook/process';
import { createApp } from './app.ts';
import { readApiSettings } from './environment.ts';
import { serve } from './http/serve.ts';
import { openKeyOwners } from './keys/key-owners.ts';
import { openKeyUses } from './keys/key-uses.ts';
import { openHourlyLimits } from './limits/hourly-limits.ts';
import { openFlagLink } from './members/flag-link.ts';
import { openEarlierOrders } from './members/enqueue-earlier-orders.ts';

await runProcess('api', readApiSettings, async (settings, context) => {
  const { log, metrics, release, check } = context;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-api',
  });
  release('database', () => database.$disconnect());
  const sealer = openSealer(settings.SECRETS_KEY);
  watchDatabase(database, context, sealer);
  const redis = connectProducer(settings.REDIS_URL, log);
  release('redis', () => disconnect(redis));
  redis.once('ready', () => void checkDurability(redis, log).catch(() => undefined));
  const intake = openIntake(redis, settings.QUEUE_PREFIX);
  release('intake', () => intake.close());
  const evaluation = openProducer('reward-evaluation', redis, settings.QUEUE_PREFIX);
  release('evaluation queue', () => evaluation.close());

  // Only what ingest needs: with PostgreSQL away, orders of known keys are still taken.
  const checkIntake = () => {
    intake.check();
    const memory = intake.memory();
    return memory && describeMemory(memory);
  };
  check('redis', checkIntake);
  metrics.gauge('redis_memory_used_bytes', 'Memory that Redis uses', () => intake.memory()?.usedBytes ?? 0);
  metrics.gauge(
    'redis_memory_max_bytes',
    'Memory that Redis may use (maxmemory); 0 when there is no limit',
    () => intake.memory()?.maxBytes ?? 0,
  );
  const velocity = withLocalFallback(openVelocity(redis, settings.QUEUE_PREFIX), () => intake.check());
  const hashAddress = openAddressHash(settings.SECRETS_KEY);
  const publicUrl = settings.API_PUBLIC_URL ?? `http://127.0.0.1:${settings.API_PORT}`;
  const app = createApp({
    database,
    sealer,
    intake,
    owners: openKeyOwners({ read: (sha256) => findKeyOwner(database, sha256) }),
    uses: openKeyUses({ write: (keyIds) => updateApiKeysLastUsed(database, keyIds) }),
    enqueueEarlierOrders: openEarlierOrders(database, evaluation, log),
    flagLink: openFlagLink({
      velocity,
      hashAddress,
      limits: { perCode: settings.API_CODE_LINKS_PER_HOUR, perAddress: settings.API_ADDRESS_LINKS_PER_HOUR },
    }),
    hourlyLimits: openHourlyLimits({
      velocity,
      hashAddress,
      maxima: {
        membersPerMerchant: settings.API_MERCHANT_MEMBERS_PER_HOUR,
        membersPerAddress: settings.API_ADDRESS_MEMBERS_PER_HOUR,
        clicksPerCode: settings.API_CODE_CLICKS_PER_HOUR,
        clicksPerAddress: settings.API_ADDRESS_CLICKS_PER_HOUR,
      },
    }),
    publicUrl: publicUrl.replace(/(?<!\/)\/+$/, ''),
    trustedProxies: settings.API_TRUST_PROXY,
    checks: { redis: checkIntake },
    limits: {
      maxOrders: settings.API_MAX_ORDERS,
      maxBodyBytes: settings.API_MAX_BODY_BYTES,
      bodiesInFlight: {
        process: settings.API_BODY_BYTES_IN_FLIGHT,
        key: settings.API_KEY_BODY_BYTES_IN_FLIGHT,
      },
    },
    metrics,
    log,
  });
  const server = await serve(app, settings.API_HOST, settings.API_PORT);
  release('http', server.close);
  log.info('listening', { url: server.url });
});
