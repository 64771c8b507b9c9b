import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

// One shell for each process that has children. It reads their pids from a pipe, the complete list at each change. The pipe
// is closed when this process ends, even by SIGKILL. Then the shell ends the children that still run.
const script = `
pids=
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
for pid in $pids; do kill -TERM "$pid"; done
for attempt in 1 2 3 4 5 6 7 8; do
  sleep 0.5
  alive=
  for pid in $pids; do if kill -0 "$pid"; then alive=1; fi; done
  [ -n "$alive" ] || exit 0
done
for pid in $pids; do kill -KILL "$pid"; done
`;

let guard: ChildProcess | undefined;
const guarded = new Set<number>();

/** Ends a process when this one ends, even by SIGKILL: with SIGTERM, and with SIGKILL 4 s later. */
export function guardFromOrphaning(pid: number): void {
  guarded.add(pid);
  guard ??= startGuard();
  sendPids(guard);
}

/** Removes an ended process from the list. The guard exits when the list is empty. */
export function releaseFromGuard(pid: number): void {
  guarded.delete(pid);
  if (!guard) return;
  sendPids(guard);
  if (guarded.size > 0) return;
  guard.stdin?.end();
  guard = undefined;
}

function startGuard(): ChildProcess {
  // In a session of its own, so that Ctrl-C in the terminal does not reach it.
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.once('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as Writable & { unref?(): void }).unref?.();
  return shell;
}

function sendPids(shell: ChildProcess): void {
  shell.stdin?.write(`${[...guarded].join(' ')}\n`);
}
