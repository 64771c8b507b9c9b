import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { runAdmin, startStack } from '@rewardhook/local-stack';
import type { Admin, AdminResult, ProcessChange, Stack } from '@rewardhook/local-stack';
import type { Ledger } from '../ledger/open-ledger.ts';
import { now } from '../ledger/clock.ts';
import { openPausePoints } from './pause-points.ts';
import type { PausePoints } from './pause-points.ts';
import { openSenders } from './senders.ts';
import type { Senders } from './senders.ts';

/** The running service, with what scenarios and faults do to it. */
export interface Service {
  stack: Stack;
  ledger: Ledger;
  /** Prints a line for the person who watches the run. */
  log(line: string): void;
  /** The command line of the operator. What could not start, because a server is away, is tried again for a minute. @throws when a command fails */
  admin: Admin;
  /** The same for a command that may fail. */
  tryAdmin(...words: string[]): Promise<AdminResult>;
  pausePoints: PausePoints;
  /** All calls of the API are sent through these. */
  senders: Senders;
  /** The names of all processes and servers, including those that are down at the moment. */
  names: string[];
  /** The process id; undefined while it is down. */
  pidOf(name: string): number | undefined;
  /** Runs a fault, and writes it down with the time that it took. What is noted meanwhile is added to the details. */
  fault(
    fault: string,
    target: string,
    details: string,
    inject: (note: (text: string) => void) => Promise<void>,
  ): Promise<void>;
  /** Does something when a process or server has ended the next time, before it is started again. */
  atNextExit(name: string, act: () => void): void;
  /** Processes that end from now on are stopped by the run, and are no findings. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  folder: string;
  ledger: Ledger;
  /** The checkout whose programs run; default this one. */
  checkout?: string;
  log: (line: string) => void;
  signal?: AbortSignal;
}

const twoHoursMs = 2 * 3_600_000;

/** The processes that reach the servers through proxies: one of each kind that stores something. */
export const proxied = ['api-1', 'sync-1', 'reward-evaluation-1', 'webhook-delivery-1'].flatMap((process) =>
  (['redis', 'postgres'] as const).map((server) => ({ process, server })),
);

/** Loads the module that shifts the clock of a process. */
const shifted = (ms: number) => ({
  NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'shift-clock.mjs')).href}`,
  CLOCK_SHIFT_MS: String(ms),
});

/**
 * Starts three API processes and two of each worker. No promise may depend on the clocks of api, sync and reward-evaluation, so
 * some of theirs are two hours ahead or behind.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { folder, ledger, checkout, log, signal } = options;
  const ofCheckout = checkout === undefined ? {} : { checkout };
  // A command takes two seconds on a quiet machine, and more than a minute when others compute on it.
  const ofAdmin = { ...ofCheckout, timeoutMs: 180_000 };
  let running = true;
  /** How many faults are being injected into a process at the moment. What else ends is a finding, also by SIGKILL: the system kills what takes its memory. */
  const targets = new Map<string, number>();
  const atExit = new Map<string, () => void>();
  const onChange = ({ name, exit }: ProcessChange) => {
    if (!exit) return;
    atExit.get(name)?.();
    atExit.delete(name);
    if (!running || (targets.get(name) ?? 0) > 0) return;
    ledger.write({ kind: 'exit', process: name, how: exit.signal ?? `code ${exit.code}` });
  };
  const stack = await startStack({
    dataDir: join(folder, 'stack'),
    fresh: true,
    ports: 'auto',
    apis: 3,
    workers: { sync: 2, 'reward-evaluation': 2, 'webhook-delivery': 2 },
    processEnv: {
      'api-2': shifted(twoHoursMs),
      'api-3': shifted(-twoHoursMs),
      'sync-2': shifted(twoHoursMs),
      'reward-evaluation-1': shifted(-twoHoursMs),
    },
    proxies: proxied,
    env: { QUEUE_PREFIX: '{chaos}', LOG_LEVEL: 'warn' },
    ...ofCheckout,
    onProgress: log,
    onChange,
    ...(signal ? { signal } : {}),
  });
  try {
    const pausePoints = await openPausePoints(stack.databaseUrl);
    const tryAdmin = (...words: string[]) => runAdmin(stack.environment, words, ofAdmin);
    return {
      stack,
      ledger,
      log,
      admin: openPatientAdmin(tryAdmin),
      tryAdmin,
      pausePoints,
      senders: openSenders(),
      names: stack.processes().map(({ name }) => name),
      pidOf: (name) => stack.processes().find((one) => one.name === name)?.pid,
      async fault(fault, target, details, inject) {
        // A server of this machine can take what it has not written with it; the ledger must know of it all the same.
        ledger.sync();
        const at = now();
        targets.set(target, (targets.get(target) ?? 0) + 1);
        const noted = [details];
        try {
          await inject((text) => noted.push(text));
        } finally {
          targets.set(target, (targets.get(target) ?? 0) - 1);
          ledger.write({ kind: 'fault', at, ended: now(), fault, target, details: noted.join(', ') });
        }
      },
      atNextExit: (name, act) => void atExit.set(name, act),
      async close() {
        running = false;
        await pausePoints.close();
        await stack.stop();
      },
    };
  } catch (error) {
    running = false;
    await stack.stop();
    throw error;
  }
}

/** The exit code of a command that has done nothing, because PostgreSQL or Redis is unavailable. */
const unavailable = 3;

function openPatientAdmin(tryAdmin: Service['tryAdmin']): Admin {
  return async <T>(...words: string[]) => {
    for (const end = performance.now() + 60_000; ; await setTimeout(500)) {
      const { ok, exitCode, document, stderr } = await tryAdmin(...words);
      if (ok) return document as T;
      if (exitCode !== unavailable || !stderr.includes('Nothing was done.') || performance.now() > end)
        throw new Error(`admin ${words.join(' ')} failed: ${stderr}`);
    }
  };
}
