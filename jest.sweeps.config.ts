/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import tests from './jest.config.ts';

/** The long tests, `*.sweep.test.ts`: every page, every kill. `npm run test:sweeps` and `.ci/run` run them. */
const config: Config = {
  ...tests,
  testMatch: ['**/*.sweep.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};

export default config;
