import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { LogFile } from './log-file.ts';
import { guardFromOrphaning, releaseFromGuard } from './orphan-guard.ts';

/** How a process ended: its exit code, or the signal that ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process. */
export interface RunningProcess {
  pid: number;
  /** Resolves when the process has ended. Never rejects. */
  exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** Sends the stop signal, and SIGKILL at the deadline (default 5 s). May be called again. */
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
  /** Default SIGTERM. */
  stopSignal?: NodeJS.Signals;
}

/**
 * Starts a program and writes its output to a log. It runs in a session of its own: Ctrl-C reaches only this process, which
 * then stops its children in order. The child ends when this process ends (see orphan-guard.ts).
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
      // Its last output may still be in the pipe. A grandchild may keep the pipe open, so wait for 100 ms only.
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

/** Runs a program and waits for its end. @throws with the end of its output when it fails */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  const { code, signal } = await (await startProcess(options)).exited;
  if (code !== 0)
    throw new Error(`${options.command} failed (${signal ?? `code ${code}`})\n${options.log.tail()}`);
}
