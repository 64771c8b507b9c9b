import { createLogger } from '@rewardhook/process';

/** The logger of tests. It writes only when TEST_LOG is set. */
export const testLog = createLogger('test', 'debug');
testLog.silent = process.env['TEST_LOG'] === undefined;
