/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { scaled } from './packages/local-stack/src/time-scale.ts';

const config: Config = {
  roots: ['<rootDir>/apps', '<rootDir>/packages', '<rootDir>/tests', '<rootDir>/chaos', '<rootDir>/fuzz'],
  testMatch: ['**/*.test.ts'],
  // The long tests have a configuration of their own: jest.e2e.config.ts.
  testPathIgnorePatterns: ['/node_modules/', '\\.e2e\\.test\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } }],
  },
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/packages/testing/src/jest/environment.ts',
  testEnvironmentOptions: {
    customExportConditions: ['source', 'node', 'node-addons'],
    timeScale: scaled(1),
  },
  globalSetup: '<rootDir>/packages/testing/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest/global-teardown.ts',
  reporters: ['default', '<rootDir>/packages/testing/src/jest/slowest-files.mjs'],
  testTimeout: 30_000,
  // Tests mostly wait for other processes, so they may use every core.
  maxWorkers: '100%',
};

export default config;
