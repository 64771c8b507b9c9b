import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../processes/log-file.ts';
import { runToEnd, startProcess } from '../processes/start-process.ts';
import { supervise } from '../processes/supervise.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { scaled } from '../time-scale.ts';
import { waitFor } from '../wait-for.ts';
import type { ProcessPlan } from './processes.ts';
import { programArguments } from './program.ts';
import type { RunFrom } from './program.ts';

/** Starts and supervises one process of the service. Its log is `<dataDir>/logs/<name>.log`. */
export function startApp(options: {
  plan: ProcessPlan;
  dataDir: string;
  run: RunFrom;
  checkout: string;
  /** Port of the debugger on 127.0.0.1. */
  inspectPort?: number | undefined;
  onChange: (change: ProcessChange) => void;
}): Promise<Supervised> {
  const { plan, run, checkout, inspectPort, onChange } = options;
  const inspect = inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`];
  const log = openLogFile(logPath(options.dataDir, plan.name));
  const start = () =>
    startProcess({
      command: process.execPath,
      args: [...inspect, ...programArguments(`apps/${plan.app}/main`, run)],
      cwd: checkout,
      env: { ...process.env, ...plan.environment },
      log,
    });
  return supervise({ name: plan.name, start, onChange });
}

/** Applies the missing migrations, like `prisma migrate deploy`. */
export async function migrate(options: {
  databaseUrl: string;
  dataDir: string;
  run: RunFrom;
  checkout: string;
}): Promise<void> {
  await runToEnd({
    command: process.execPath,
    // It runs once, so it is never watched.
    args: programArguments('packages/database/migrate-main', options.run === 'built' ? 'built' : 'source'),
    cwd: options.checkout,
    env: { ...process.env, DATABASE_URL: options.databaseUrl },
    log: openLogFile(logPath(options.dataDir, 'migrate')),
  });
}

/**
 * Waits until all processes are ready.
 * @throws with the end of its log when a process ends repeatedly or is not ready at the deadline
 */
export async function waitUntilReady(options: {
  plans: ProcessPlan[];
  apps: Supervised[];
  dataDir: string;
  deadlineMs: number;
}): Promise<void> {
  const { plans, apps, dataDir, deadlineMs } = options;
  const appOf = ({ name }: ProcessPlan) => apps.find((app) => app.name === name);
  const before = new Map(plans.map((plan) => [plan, appOf(plan)?.restarts() ?? 0]));
  let awaited: ProcessPlan | undefined;
  const state = async (): Promise<'ready' | 'failed' | undefined> => {
    for (const plan of plans) {
      awaited = plan;
      const app = appOf(plan);
      if ((app?.restarts() ?? 0) - (before.get(plan) ?? 0) >= 4) return 'failed';
      if (!(await isReady(plan.healthUrl, app?.pid()))) return undefined;
    }
    return 'ready';
  };
  const reached = await waitFor(state, { deadlineMs, everyMs: 100 }).catch(() => 'failed' as const);
  if (reached === 'ready' || !awaited) return;
  const path = logPath(dataDir, awaited.name);
  throw new Error(`${awaited.name} is not ready. The end of ${path}:\n${lastLines(path)}`);
}

/** Whether the process is ready, and not another one that has its port. A watched process is a child of the one that was started. */
async function isReady(healthUrl: string, started: number | undefined): Promise<boolean> {
  const answer = await fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(scaled(2_000)) });
  const { pid, parentPid } = (await answer.json()) as { pid?: number; parentPid?: number };
  return answer.ok && started !== undefined && (pid === started || parentPid === started);
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

function logPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}
