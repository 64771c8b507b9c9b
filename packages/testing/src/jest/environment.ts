import { TestEnvironment } from 'jest-environment-node';
import { serversOfRun } from './servers-of-run.ts';

/** Test files of these names get PostgreSQL and Redis; all others run without. */
const needsServers = /\.(integration|e2e)\.test\.ts$/;

/**
 * The environment of every test file. For one that needs servers it sets TEST_DATABASE_URL and TEST_REDIS_URL, and
 * starts them when no file of the run has needed them before.
 */
export default class RewardhookTestEnvironment extends TestEnvironment {
  readonly #testPath: string;

  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    super(...options);
    this.#testPath = options[1].testPath;
  }

  override async setup(): Promise<void> {
    await super.setup();
    if (!needsServers.test(this.#testPath)) return;
    const { databaseUrl, redisUrl } = await serversOfRun(String(process.env['TEST_RUN_FOLDER']));
    Object.assign(this.global.process.env, { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl });
  }
}
