// Servers, stacks, and the programs and commands that run on them.
export {
  addWebhook,
  ageOrders,
  chromiumArguments,
  chromiumPath,
  createMerchant,
  openAdmin,
  programArguments,
  removeStackData,
  startPgBouncer,
  startPostgres,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  startStack,
} from '@rewardhook/local-stack';
export type { Admin, RedisCluster, RedisSentinel, Server, Stack } from '@rewardhook/local-stack';
export { startTestServers } from './servers/start-test-servers.ts';
export type { TestServers } from './servers/start-test-servers.ts';
export { createTestDatabase, runSql } from './servers/test-database.ts';
export type { DatabaseDefaults, TestDatabase } from './servers/test-database.ts';
