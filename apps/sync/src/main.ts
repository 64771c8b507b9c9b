import { runProcess } from '@rewardhook/process';
import { readSyncSettings } from './environment.ts';
import { startSync } from './start.ts';

await runProcess('sync', readSyncSettings, startSync);
