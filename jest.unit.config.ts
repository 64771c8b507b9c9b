/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import tests from './jest.config.ts';

/** The unit tests: those beside their sources that need no server. `npm run test:unit` runs them in seconds. */
const config: Config = {
  ...tests,
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testPathIgnorePatterns: ['/node_modules/', '\\.(integration|e2e)\\.test\\.ts$'],
};

export default config;
