/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  roots: ['<rootDir>/apps', '<rootDir>/packages', '<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  // Long tests run by themselves: jest.sweeps.config.ts.
  testPathIgnorePatterns: ['/node_modules/', '\\.sweep\\.test\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } }],
  },
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  globalSetup: '<rootDir>/packages/testing/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest/global-teardown.ts',
  testTimeout: 30_000,
  // Much of what tests do is waiting for other processes.
  maxWorkers: '100%',
};

export default config;
