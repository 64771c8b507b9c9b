import { runProcess } from '@rewardhook/process';
import { readApiSettings } from './environment.ts';
import { startApi } from './start.ts';

await runProcess('api', readApiSettings, startApi);
