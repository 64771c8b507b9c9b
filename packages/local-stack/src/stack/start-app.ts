import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../processes/log-file.ts';
import { runToEnd, startProcess } from '../processes/start-process.ts';
import { supervise } from '../processes/supervise.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { scaled } from '../time-scale.ts';
import { finishWhileMoving, waitWhileMoving } from '../wait-while-moving.ts';
import type { Patience, Say } from '../wait-while-moving.ts';
import type { ProcessPlan } from './processes.ts';
import { allocatorEnvironment, programArguments } from './program.ts';
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
      env: { ...allocatorEnvironment, ...process.env, ...plan.environment },
      log,
    });
  return supervise({ name: plan.name, start, onChange });
}

/** Applies the missing migrations, like `prisma migrate deploy`. */
export function migrate(options: {
  databaseUrl: string;
  dataDir: string;
  run: RunFrom;
  checkout: string;
  patience: Patience;
}): Promise<void> {
  const log = openLogFile(logPath(options.dataDir, 'migrate'));
  const work = runToEnd({
    command: process.execPath,
    // It runs once, so it is never watched.
    args: programArguments('packages/database/migrate-main', options.run === 'built' ? 'built' : 'source'),
    cwd: options.checkout,
    env: { ...process.env, DATABASE_URL: options.databaseUrl },
    log,
  });
  const lastLine = () => log.tail().split('\n').at(-1) ?? '';
  return finishWhileMoving('the migrations', work, lastLine, options.patience);
}

/**
 * Waits until all processes are ready.
 * @throws with the end of the log of one that is not, when nothing changes or the patience has no hope
 */
export async function waitUntilReady(options: {
  plans: ProcessPlan[];
  apps: Supervised[];
  patience: Patience;
}): Promise<void> {
  const { plans, apps, patience } = options;
  const look = async (say: Say) => {
    const found = await Promise.all(
      plans.map(async ({ name, healthUrl }) => {
        const pid = apps.find((app) => app.name === name)?.pid();
        return { name, lacking: await findLacking(healthUrl, pid).catch(() => 'no answer') };
      }),
    );
    const unready = found.filter(({ lacking }) => lacking !== undefined);
    const names = unready.map(({ name, lacking }) => `${name}: ${lacking}`).join(', ');
    say(`${plans.length - unready.length} of ${plans.length} are ready; not yet ${names}`, unready[0]?.name);
    return unready.length === 0;
  };
  await waitWhileMoving('the processes', look, patience);
}

/**
 * What keeps a process from being ready; undefined when it is, and is not another one that has its port. A watched process is a
 * child of the one that was started.
 */
async function findLacking(healthUrl: string, started: number | undefined): Promise<string | undefined> {
  const answer = await fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(scaled(10_000)) });
  const { pid, parentPid, checks = {} } = (await answer.json()) as HealthAnswer;
  if (started === undefined) return 'not running';
  if (pid !== started && parentPid !== started) return 'another process has its port';
  if (answer.ok) return undefined;
  const failing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  return failing.join(' and ') || `answers ${answer.status}`;
}

/** The fields of `/health/ready` that are read here. */
interface HealthAnswer {
  pid?: number;
  parentPid?: number;
  checks?: Record<string, string>;
}

/** The last lines of the log of a process, under its path. */
export function endOfLog(dataDir: string, name: string): string {
  const path = logPath(dataDir, name);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-15) : [];
  return `The end of ${path}:\n${lines.join('\n')}`;
}

/** The last line of the log of a process; empty when there is none. */
export function lastLineOfLog(dataDir: string, name: string): string {
  return endOfLog(dataDir, name).split('\n').at(-1) ?? '';
}

/** The log of a process of a stack. */
export function logPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}
