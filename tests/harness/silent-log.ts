import { createLogger } from '@rewardhook/process';

/** A logger for tests: silent, or with TEST_LOG set as loud as the real one. */
export const silentLog = createLogger('test', 'debug');
silentLog.silent = process.env['TEST_LOG'] === undefined;
