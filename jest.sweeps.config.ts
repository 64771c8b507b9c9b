/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import tests from './jest.config.ts';

/** The long tests, `*.sweep.test.ts`: every page, every kill. `npm run test:sweeps` and `.ci/run` run them. */
const config: Config = {
  ...tests,
  testMatch: ['**/*.sweep.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/packages/testing/src/jest/sweeps-setup.ts',
  // Something of the Redis Cluster clients that run in the process of tests/redis-cluster.sweep.test.ts stays open after they
  // are closed. The processes of the service exit by themselves.
  forceExit: true,
};

export default config;
