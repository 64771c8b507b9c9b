import { startTestServers } from './test-servers.ts';
import type { TestServers } from './test-servers.ts';

declare global {
  var rewardhookTestServers: TestServers | undefined;
}

/** Starts the servers of the run and names them in TEST_DATABASE_URL and TEST_REDIS_URL. */
async function globalSetup(): Promise<void> {
  globalThis.rewardhookTestServers = await startTestServers();
  process.env['TEST_DATABASE_URL'] = globalThis.rewardhookTestServers.databaseUrl;
  process.env['TEST_REDIS_URL'] = globalThis.rewardhookTestServers.redisUrl;
}

// Jest wants a default export.
export default globalSetup;
