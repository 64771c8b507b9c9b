import { runProcess } from '@rewardhook/process';
import { readHousekeepingSettings } from './environment.ts';
import { startHousekeeping } from './start.ts';

await runProcess('housekeeping', readHousekeepingSettings, startHousekeeping);
