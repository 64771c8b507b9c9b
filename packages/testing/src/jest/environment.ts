import type { Circus } from '@jest/types';
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
  /** Of the jest configuration, because this file cannot import `scaled`. */
  readonly #timeScale: number;
  readonly #scaled = new WeakSet();

  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    super(...options);
    this.#testPath = options[1].testPath;
    this.#timeScale = Number(options[0].projectConfig.testEnvironmentOptions['timeScale']);
  }

  /** Scales jest's time-outs: that of the configuration or of `jest.setTimeout`, and those of single tests and hooks. */
  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void {
    if (event.name === 'run_start') state.testTimeout *= this.#timeScale;
    if (event.name === 'test_start') this.#scaleTimeout(event.test);
    if (event.name === 'hook_start') this.#scaleTimeout(event.hook);
  }

  #scaleTimeout(one: { timeout?: number | undefined | null }): void {
    // A hook can run before several tests.
    if (!one.timeout || this.#scaled.has(one)) return;
    this.#scaled.add(one);
    one.timeout *= this.#timeScale;
  }

  override async setup(): Promise<void> {
    await super.setup();
    if (!needsServers.test(this.#testPath)) return;
    const { databaseUrl, redisUrl } = await serversOfRun(
      String(process.env['TEST_RUN_FOLDER']),
      this.#timeScale,
    );
    Object.assign(this.global.process.env, { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl });
  }
}
