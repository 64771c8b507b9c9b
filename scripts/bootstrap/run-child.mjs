import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs the command itself as a child with our terminal, hands signals on to it and ends as it ends. The child
 * has an IPC channel, so that it notices when we are gone; and when the npm that started us is gone, we stop it.
 */
export function runChild(args, { cwd, env }) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 1_000);
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    clearInterval(watching);
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}
