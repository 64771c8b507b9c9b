import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Runs the command as a child process on the same terminal, passes signals on to it and exits with its exit code. The child
 * has an IPC channel, which closes when this process ends. When the npm that started this process ends, the child is
 * stopped.
 */
export function runChild(args, { cwd, env }) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const ancestors = ancestry();
  const watching = setInterval(() => {
    if (ancestry() !== ancestors) child.kill('SIGTERM');
  }, 500);
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    clearInterval(watching);
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}

/** The parent process and, on Linux, its parent, because npm runs scripts through a shell. */
function ancestry() {
  const parent = process.ppid;
  try {
    const [, grandparent] = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${parent}/status`, 'utf8')) ?? [];
    return `${parent} of ${grandparent}`;
  } catch {
    return `${parent}`;
  }
}
