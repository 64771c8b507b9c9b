import { runProcess } from '@rewardhook/process';
import { readEvaluationSettings } from './environment.ts';
import { startRewardEvaluation } from './start.ts';

await runProcess('reward-evaluation', readEvaluationSettings, startRewardEvaluation);
