import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../processes/log-file.ts';
import { runToEnd, startProcess } from '../processes/start-process.ts';
import { supervise } from '../processes/supervise.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { projectRoot } from '../project-root.ts';
import { waitFor } from '../wait-for.ts';
import type { ProcessPlan } from './processes.ts';
import { programArguments } from './program.ts';
import type { RunFrom } from './program.ts';

/** Starts and supervises one process of the service. Its log is `<dataDir>/logs/<name>.log`. */
export function startApp(options: {
  plan: ProcessPlan;
  dataDir: string;
  run: RunFrom;
  /** Port of the debugger on 127.0.0.1. */
  inspectPort?: number | undefined;
  onChange: (change: ProcessChange) => void;
}): Promise<Supervised> {
  const { plan, run, inspectPort, onChange } = options;
  const inspect = inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`];
  const log = openLogFile(logPath(options.dataDir, plan.name));
  const start = () =>
    startProcess({
      command: process.execPath,
      args: [...inspect, ...programArguments(`apps/${plan.app}/main`, run)],
      cwd: projectRoot,
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
}): Promise<void> {
  await runToEnd({
    command: process.execPath,
    // It runs once, so it is never watched.
    args: programArguments('packages/database/migrate-main', options.run === 'built' ? 'built' : 'source'),
    cwd: projectRoot,
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
  const end = performance.now() + deadlineMs;
  for (const plan of plans) {
    const app = apps.find(({ name }) => name === plan.name);
    const before = app?.restarts() ?? 0;
    let failed = false;
    const ready = async () => {
      failed = (app?.restarts() ?? 0) - before >= 4;
      return failed || (await isReady(plan.healthUrl));
    };
    const left = Math.max(end - performance.now(), 100);
    await waitFor(ready, { deadlineMs: left, everyMs: 100 }).catch(() => (failed = true));
    if (!failed) continue;
    const path = logPath(dataDir, plan.name);
    throw new Error(`${plan.name} is not ready. The end of ${path}:\n${lastLines(path)}`);
  }
}

async function isReady(healthUrl: string): Promise<boolean> {
  const answer = await fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
  return answer.ok;
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

function logPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}
