import { Client } from 'pg';
import { openDatabase, openSealer } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { connectProducer, disconnect, openProducer, openQueues } from '@rewardhook/pipeline';
import type { Producer, Redis } from '@rewardhook/pipeline';
import type { Terms } from '@rewardhook/rewards';
import type { Stack } from '@rewardhook/local-stack';
import type { BenchSettings } from '../settings.ts';
import { createMerchant } from './create-merchant.ts';
import type { Merchant } from './create-merchant.ts';

/** What the sections of the bench share. */
export interface Bench {
  settings: BenchSettings;
  stack: Stack;
  /** The bench's own connection, for inserting test data and reading results. */
  sql: Client;
  /** The same database through packages/database. */
  database: Database;
  redis: Redis;
  queues: ReturnType<typeof openQueues>;
  /** Adds delivery jobs as the evaluation stage does. */
  delivery: Producer<'webhook-delivery'>;
  log(line: string): void;
  /** With the default terms, unless others are given. */
  createMerchant(name: string, terms?: Terms): Promise<Merchant>;
  close(): Promise<void>;
}

/** The processes use the default of QUEUE_PREFIX. */
const queuePrefix = '{rewardhook}';

/** Opens the bench's own connections beside a running stack. */
export async function openBench(
  stack: Stack,
  settings: BenchSettings,
  log: (line: string) => void,
): Promise<Bench> {
  const sql = new Client({ connectionString: stack.databaseUrl });
  // When the server stops first. An error that affects a measurement makes its query fail.
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
    log,
    createMerchant: (name, terms) => createMerchant(database, sealer, name, terms),
    async close() {
      await Promise.all([...queues, delivery].map((queue) => queue.close()));
      await disconnect(redis);
      await database.$disconnect();
      await sql.end();
    },
  };
}
