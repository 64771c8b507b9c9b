import { startTestServers } from './test-servers.ts';
import type { TestServers } from './test-servers.ts';

declare global {
  var rewardhookTestServers: TestServers | undefined;
}

/** Starts the servers of the run. TEST_DATABASE_URL, TEST_REDIS_URL and TEST_RUN_FOLDER name them and the run's folder. */
async function globalSetup(): Promise<void> {
  globalThis.rewardhookTestServers = await startTestServers();
  process.env['TEST_DATABASE_URL'] = globalThis.rewardhookTestServers.databaseUrl;
  process.env['TEST_REDIS_URL'] = globalThis.rewardhookTestServers.redisUrl;
  process.env['TEST_RUN_FOLDER'] = globalThis.rewardhookTestServers.folder;
}

// Jest wants a default export.
export default globalSetup;
