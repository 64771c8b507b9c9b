import { createLogger } from '@rewardhook/process';

/** A logger for tests: silent, or with TEST_LOG set as loud as the real one. */
export const testLog = createLogger('test', 'debug');
testLog.silent = process.env['TEST_LOG'] === undefined;
