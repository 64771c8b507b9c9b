import Joi from 'joi';
import { parseKeyRing } from './key-ring.ts';
import { secret } from './read-settings.ts';
import { readDatabaseUrl } from './database-url.ts';
import { parseRedisUrl } from './redis-url.ts';

const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** Settings of every process. Each app adds its own. */
export const commonSettings = {
  NODE_ENV: Joi.string().default('development'),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
  LISTEN_HOST: Joi.string().default('127.0.0.1'),
  HEALTH_PORT: Joi.number().port().default(0),
  // The names and values that OpenTelemetry defines. Its SDK reads the sampler itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  OTEL_EXPORTER_OTLP_HEADERS: secret(Joi.string()),
  OTEL_TRACES_SAMPLER: Joi.string()
    .valid(...samplers)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1).default(1),
};

/**
 * Settings of a process that serves HTTP to clients. The delay is the time between "not ready" and "stops listening",
 * in which load balancers take the process out of service.
 */
export const httpSettings = {
  SHUTDOWN_DELAY_SECONDS: Joi.number().min(0).max(60).default(1),
  HTTP_KEEP_ALIVE_SECONDS: Joi.number().min(1).max(3_600).default(65),
};

/** The rule of a setting with a URL of PostgreSQL. */
export const databaseUrl = () =>
  Joi.string()
    .custom((url: string, helpers) => {
      try {
        readDatabaseUrl(url);
        return url;
      } catch (error) {
        return helpers.error('database.url', { problem: (error as Error).message });
      }
    })
    .messages({ 'database.url': '{#label} {#problem}' });

/** Settings of a process that uses PostgreSQL. */
export const databaseSettings = {
  DATABASE_URL: secret(databaseUrl().required()),
  DATABASE_POOL_SIZE: Joi.number().integer().min(1).max(200).default(10),
};

/** The part of a key that selects its node in a Redis Cluster. */
const hashTag = /\{[\w-]+\}/;

/** Settings of a process that uses Redis. */
export const redisSettings = {
  REDIS_URL: secret(
    Joi.string()
      .required()
      .custom((url: string, helpers) => {
        try {
          parseRedisUrl(url);
          return url;
        } catch (error) {
          return helpers.error('redis.url', { problem: (error as Error).message });
        }
      })
      .messages({ 'redis.url': '"REDIS_URL" {#problem}' }),
  ),
  QUEUE_PREFIX: Joi.string()
    .pattern(/^[\w{}-]+$/)
    .default('{rewardhook}')
    .when('REDIS_URL', {
      is: Joi.string()
        .pattern(/^rediss?-cluster:/)
        .required(),
      then: Joi.string().pattern(hashTag, 'hash tag'),
    })
    .messages({
      'string.pattern.name': '"QUEUE_PREFIX" must contain a part in braces, for the Redis Cluster',
    }),
  QUEUE_SHARDS: Joi.number().integer().min(1).max(256).default(1),
};

/** The setting that names the processes which should run, for the checks of them. `parse` throws when the list is wrong. */
export const expectedProcessesSetting = (parse: (text: string) => unknown) => ({
  EXPECTED_PROCESSES: Joi.string()
    .custom((text: string, helpers) => {
      try {
        parse(text);
        return text;
      } catch (error) {
        return helpers.message({ custom: `EXPECTED_PROCESSES: ${(error as Error).message}` });
      }
    })
    .default('api,sync,reward-evaluation,webhook-delivery,housekeeping,console'),
});

/** Settings of a worker. */
export const workerSettings = { ...commonSettings, ...databaseSettings, ...redisSettings };

/** The values of `commonSettings`; the SDK of OpenTelemetry reads its own. */
export interface CommonSettings {
  LOG_LEVEL: string;
  LISTEN_HOST: string;
  HEALTH_PORT: number;
}

/** The values of `httpSettings`. */
export interface HttpSettings {
  SHUTDOWN_DELAY_SECONDS: number;
  /** How long an idle connection is kept open. */
  HTTP_KEEP_ALIVE_SECONDS: number;
}

/** The values of `redisSettings`. */
export interface RedisSettings {
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  QUEUE_SHARDS: number;
}

/** The values of `workerSettings`. */
export interface WorkerSettings extends CommonSettings, RedisSettings {
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
}

/** Limits per merchant, for the processes that register webhooks, send test events and start replays. */
export interface WebhookLimits {
  endpoints: {
    /** Webhooks of a merchant, and those of them on one host. */
    perMerchant: number;
    perHost: number;
    /** Webhooks of all merchants with the same URL, while it has never answered with 2xx. */
    newPerUrl: number;
  };
  /** Minimum number of seconds between two test events of a merchant. */
  testSeconds: number;
  /** Running and paused replays of a merchant. */
  replaysAtOnce: number;
}

export const webhookLimits: WebhookLimits = {
  endpoints: { perMerchant: 20, perHost: 5, newPerUrl: 5 },
  testSeconds: 1,
  replaysAtOnce: 5,
};

const days = () => Joi.number().integer().min(1).max(36_500);

/** For how many days rows are kept, for the processes that delete them. */
export const retentionSettings = {
  RETENTION_EVENTS_DAYS: days().default(90),
  RETENTION_ATTEMPTS_DAYS: days().default(30),
  RETENTION_DECISIONS_DAYS: days().default(400),
  RETENTION_AUDIT_DAYS: days().min(30).default(400),
};

/** The values of `retentionSettings`. */
export interface RetentionSettings {
  RETENTION_EVENTS_DAYS: number;
  RETENTION_ATTEMPTS_DAYS: number;
  RETENTION_DECISIONS_DAYS: number;
  RETENTION_AUDIT_DAYS: number;
}

/** For how many days rows are kept. docs/operations/back-up.md#retention describes what each number means for its tables. */
export interface RetentionPolicy {
  /** Attempts, from their start. At most `eventsDays`. */
  attemptsDays: number;
  /** Events and their deliveries, from the creation of the event. */
  eventsDays: number;
  /** Decisions, from when a later one superseded them. The newest one of an order is kept with the order. */
  decisionsDays: number;
  /** Notices about endpoints, from their creation, and invitations, from their end. */
  noticesDays: number;
  /** Replays, from their end. */
  replaysDays: number;
  /** Entries of the audit, from their time; at least 30. */
  auditDays: number;
}

/** Names the days by what is kept. */
export function retentionDays(settings: RetentionSettings): RetentionPolicy {
  return {
    // An attempt is not kept longer than its delivery.
    attemptsDays: Math.min(settings.RETENTION_ATTEMPTS_DAYS, settings.RETENTION_EVENTS_DAYS),
    eventsDays: settings.RETENTION_EVENTS_DAYS,
    decisionsDays: settings.RETENTION_DECISIONS_DAYS,
    noticesDays: 90,
    replaysDays: 90,
    auditDays: settings.RETENTION_AUDIT_DAYS,
  };
}

/** The key, or the ring of keys, that encrypts stored secrets: see `parseKeyRing`. */
export const secretsKeySetting = {
  SECRETS_KEY: secret(
    Joi.string()
      .custom((text: string, helpers) => {
        try {
          parseKeyRing(text);
          return text;
        } catch (error) {
          return helpers.message({ custom: (error as Error).message });
        }
      })
      .required(),
  ),
};

/**
 * For development: allows webhooks to http URLs on this machine. In production it is refused, because every merchant
 * could reach the services of this machine.
 */
export const loopbackSetting = {
  NODE_ENV: commonSettings.NODE_ENV,
  WEBHOOK_ALLOW_LOOPBACK: Joi.boolean()
    .default(false)
    .when('NODE_ENV', { is: 'production', then: Joi.valid(false) })
    .messages({
      'any.only':
        'WEBHOOK_ALLOW_LOOPBACK must not be true with NODE_ENV=production: webhooks could reach services on this machine',
    }),
};

/** Logged when a process starts with WEBHOOK_ALLOW_LOOPBACK. */
export const loopbackWarning =
  'WEBHOOK_ALLOW_LOOPBACK is on: webhooks may be sent to http URLs on this machine (for development only)';

/** The public URL of a process, by the name of its setting. Its pages and links are made for the root of a host. */
export const publicUrlSetting = (name: string) =>
  Joi.string()
    .uri({ scheme: ['https', 'http'] })
    .custom((text: string, helpers) => {
      const { pathname, search, hash } = new URL(text);
      return /^\/*$/.test(pathname) && search === '' && hash === '' ? text : helpers.error('publicUrl.path');
    })
    .messages({
      'publicUrl.path': `"${name}" must have no path: serve it at the root of a host of its own, such as https://rewards.example.com`,
    });

/** A public URL from the settings, without slashes at its end. */
export function withoutTrailingSlashes(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}
