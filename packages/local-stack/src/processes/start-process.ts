import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { LogFile } from './log-file.ts';
import { guardFromOrphaning, releaseFromGuard } from './orphan-guard.ts';

/** How a process ended: `code` when it ended by itself, `signal` when one ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process of ours. */
export interface RunningProcess {
  pid: number;
  /** Resolves when the process has ended; never rejects. */
  exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end, and kills it when it has not by the deadline (default 5 s). Safe to call again. */
  stop(deadlineMs?: number): Promise<Exit>;
}

export interface ProcessOptions {
  command: string;
  args: string[];
  log: LogFile;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Run as another user (needs root). */
  user?: { uid: number; gid: number } | undefined;
  /** How to ask it to end; default SIGTERM. */
  stopSignal?: NodeJS.Signals;
}

/**
 * Starts a program with its output in a log. It gets a session of its own, so that Ctrl-C reaches only us and
 * we stop things in order; it never outlives us (see orphan-guard).
 * @throws when the program cannot be started
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.user,
  });
  child.stdout.on('data', (chunk: Buffer) => options.log.write(chunk));
  child.stderr.on('data', (chunk: Buffer) => options.log.write(chunk));
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      if (child.pid) releaseFromGuard(child.pid);
      // Its last words may still be in the pipe; a grandchild may hold the pipe open, so not for long.
      const flushed = globalThis.setTimeout(resolve, 100, { code, signal });
      child.once('close', () => {
        clearTimeout(flushed);
        resolve({ code, signal });
      });
    });
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  guardFromOrphaning(pid);
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  return {
    pid,
    exited,
    kill,
    async stop(deadlineMs = 5_000) {
      kill(options.stopSignal ?? 'SIGTERM');
      const done = new AbortController();
      const late = setTimeout(deadlineMs, undefined, { signal: done.signal }).then(
        () => kill('SIGKILL'),
        () => undefined,
      );
      const exit = await exited;
      done.abort();
      await late;
      return exit;
    },
  };
}

/** Runs a program to its end. @throws with the end of its output when it fails */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  const { code, signal } = await (await startProcess(options)).exited;
  if (code !== 0)
    throw new Error(`${options.command} failed (${signal ?? `code ${code}`})\n${options.log.tail()}`);
}
