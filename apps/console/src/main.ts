import { runProcess } from '@rewardhook/process';
import { readConsoleSettings } from './environment.ts';
import { startConsole } from './start.ts';

await runProcess('console', readConsoleSettings, startConsole);
