import { runProcess } from '@rewardhook/process';
import { readDashboardSettings } from './environment.ts';
import { startDashboard } from './start.ts';

await runProcess('dashboard', readDashboardSettings, startDashboard);
