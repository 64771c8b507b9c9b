// Tests import everything from here: the fixtures of this package, and those of the local stack.
export {
  ageOrders,
  addWebhook,
  buildItem,
  buildOrder,
  chromiumArguments,
  chromiumPath,
  createMerchant,
  freePort,
  freePorts,
  hasValidSignature,
  hoursAgo,
  openAdmin,
  programArguments,
  projectRoot,
  removeStackData,
  scaled,
  startPgBouncer,
  startPostgres,
  startReceiver,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  startStack,
  temporaryFolder,
  waitFor,
} from '@rewardhook/local-stack';
export type {
  Admin,
  ReceivedWebhook,
  Receiver,
  ReceiverOptions,
  RedisCluster,
  RedisSentinel,
  Server,
  Stack,
  WaitOptions,
} from '@rewardhook/local-stack';
export type { HostileBehaviour, HostileGreeting, HostilePhase } from './hostile-receiver/behaviour.ts';
export { startHostileReceiver } from './hostile-receiver/hostile-receiver.ts';
export type { HostileOptions, HostileReceiver } from './hostile-receiver/hostile-receiver.ts';
export type { HostileRequest } from './hostile-receiver/read-requests.ts';
export { selfSigned } from './hostile-receiver/self-signed.ts';
export type { SelfSigned, SelfSignedOptions } from './hostile-receiver/self-signed.ts';
export { compileJsonSchema } from './json-schema.ts';
export type { SchemaValidator } from './json-schema.ts';
export { openAnswerCheck } from './openapi/check-answer.ts';
export type { CheckAnswer, ObservedAnswer } from './openapi/check-answer.ts';
export { observeAnswers } from './openapi/observe-answers.ts';
export { findLink, startMailServer } from './mail-server.ts';
export type { MailServer, ReceivedMail } from './mail-server.ts';
export { startTestServers } from './servers/start-test-servers.ts';
export type { TestServers } from './servers/start-test-servers.ts';
export { createTestDatabase, runSql } from './servers/test-database.ts';
export type { DatabaseDefaults, TestDatabase } from './servers/test-database.ts';
