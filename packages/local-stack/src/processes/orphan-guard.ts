import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

// One small shell per process of ours that has children. It reads their pids from a pipe, the whole list at
// each change. The pipe ends when this process ends, however it ends: then the shell ends what is left.
const script = `
pids=
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
for pid in $pids; do kill -TERM "$pid"; done
for turn in 1 2 3 4 5 6 7 8; do
  sleep 0.5
  alive=
  for pid in $pids; do if kill -0 "$pid"; then alive=1; fi; done
  [ -n "$alive" ] || exit 0
done
for pid in $pids; do kill -KILL "$pid"; done
`;

let guard: ChildProcess | undefined;
const guarded = new Set<number>();

/** Makes sure that the process ends when this one does, even by SIGKILL (SIGTERM, and SIGKILL 4 s later). */
export function guardFromOrphaning(pid: number): void {
  guarded.add(pid);
  guard ??= startGuard();
  tell(guard);
}

/** Takes an ended process off the list; the guard leaves when the list is empty. */
export function releaseFromGuard(pid: number): void {
  guarded.delete(pid);
  if (!guard) return;
  tell(guard);
  if (guarded.size > 0) return;
  guard.stdin?.end();
  guard = undefined;
}

function startGuard(): ChildProcess {
  // Its own session: Ctrl-C in the terminal must not reach it.
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.once('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as Writable & { unref?(): void }).unref?.();
  return shell;
}

function tell(shell: ChildProcess): void {
  shell.stdin?.write(`${[...guarded].join(' ')}\n`);
}
