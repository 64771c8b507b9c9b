/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';
import tests from './jest.config.ts';
import { findPropertyTests } from './packages/testing/src/jest/property-tests.ts';

/**
 * The long tests, `*.e2e.test.ts`: every page, every kill; and the property tests of the others with all of their cases.
 * `npm run test:e2e` and `.ci/run` run them.
 */
const config: Config = {
  ...tests,
  testMatch: [
    '**/*.e2e.test.ts',
    ...findPropertyTests(['apps', 'packages', 'tests']).map((file) => `<rootDir>/${file}`),
  ],
  // `propertyCases` of @rewardhook/testing looks for it.
  globals: { allPropertyCases: true },
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/packages/testing/src/jest/e2e-setup.ts',
  // They wait for processes, restarts and deadlines for more than half of their time.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
};

export default config;
