import { Client } from 'pg';
import { openDatabase, openSealer } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { connectProducer, disconnect, openProducer, openQueues } from '@rewardhook/pipeline';
import type { Producer, Redis } from '@rewardhook/pipeline';
import type { Stack } from '@rewardhook/local-stack';
import type { BenchSettings } from '../settings.ts';
import { openMerchant } from './open-merchant.ts';
import type { Merchant } from './open-merchant.ts';

/** What the sections of the bench work with. */
export interface Bench {
  settings: BenchSettings;
  stack: Stack;
  /** A connection of the bench's own, to seed and to look. */
  sql: Client;
  /** The same database as the apps see it. */
  database: Database;
  redis: Redis;
  queues: ReturnType<typeof openQueues>;
  /** Queues deliveries as the evaluate stage does. */
  delivery: Producer<'webhook-delivery'>;
  say(line: string): void;
  /** Opens a new merchant. */
  shop(name: string): Promise<Merchant>;
  close(): Promise<void>;
}

/** The processes use the default of QUEUE_PREFIX. */
const queuePrefix = '{rewardhook}';

/** Opens the bench's own connections beside a running stack. */
export async function openBench(
  stack: Stack,
  settings: BenchSettings,
  say: (line: string) => void,
): Promise<Bench> {
  const sql = new Client({ connectionString: stack.databaseUrl });
  // When the server stops first; what matters to a measurement fails its query.
  sql.on('error', () => undefined);
  await sql.connect();
  const database = openDatabase({ url: stack.databaseUrl, poolSize: 2, applicationName: 'rewardhook-bench' });
  const sealer = openSealer(stack.environment['SECRETS_KEY'] ?? '');
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const redis = connectProducer(stack.redisUrl, quiet);
  await new Promise((resolve) => redis.once('ready', resolve));
  const queues = openQueues(redis, queuePrefix);
  const delivery = openProducer('webhook-delivery', redis, queuePrefix);
  return {
    settings,
    stack,
    sql,
    database,
    redis,
    queues,
    delivery,
    say,
    shop: (name) => openMerchant(database, sealer, name),
    async close() {
      await Promise.all([...queues, delivery].map((queue) => queue.close()));
      await disconnect(redis);
      await database.$disconnect();
      await sql.end();
    },
  };
}
