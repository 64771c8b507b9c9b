import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Runs the command itself as a child with our terminal, hands signals on to it and ends as it ends. The child
 * has an IPC channel, so that it notices when we are gone; and when the npm that started us is gone, we stop it.
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

/** Our parent and, where it is easy to tell, its parent: npm runs a script through a shell. */
function ancestry() {
  const parent = process.ppid;
  try {
    const [, grandparent] = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${parent}/status`, 'utf8')) ?? [];
    return `${parent} of ${grandparent}`;
  } catch {
    return `${parent}`;
  }
}
