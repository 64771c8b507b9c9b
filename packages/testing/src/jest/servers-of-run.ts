import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

// jest loads this file and the others in this folder without the condition `source`: so they cannot import packages
// of this repository by name.
const program = resolve(import.meta.dirname, '../servers/test-servers-main.ts');
/** On an idle machine. */
const deadlineMs = 90_000;

/** Where the servers of the run are. */
export interface ServerUrls {
  databaseUrl: string;
  redisUrl: string;
}

/**
 * Starts the servers of the run unless a test file did before, and waits until they are ready, `timeScale` times as long as on an
 * idle machine.
 * @throws when they could not be started
 */
export async function serversOfRun(folder: string, timeScale: number): Promise<ServerUrls> {
  if (isFirst(folder)) startServers(folder);
  const longestMs = deadlineMs * timeScale;
  const end = performance.now() + longestMs;
  for (;;) {
    const written = read(join(folder, 'servers.json'));
    if (written) {
      const servers = JSON.parse(written) as ServerUrls | { error: string };
      if ('error' in servers) throw new Error(`The test servers could not be started: ${servers.error}`);
      return servers;
    }
    if (performance.now() > end)
      throw new Error(
        `The test servers are not ready after ${longestMs / 1_000} s: ${read(join(folder, 'log'))}`,
      );
    await setTimeout(50);
  }
}

/** Stops the servers of the run, if they were started, and waits for their end. */
export async function stopServers(folder: string): Promise<void> {
  const pid = Number(read(join(folder, 'pid')));
  if (!(pid > 0)) return;
  try {
    process.kill(pid, 'SIGTERM');
    // Signal 0 throws when the process is gone.
    while (process.kill(pid, 0)) await setTimeout(20);
  } catch {
    // It has ended.
  }
}

/** `mkdir` succeeds for one process only. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch {
    return false;
  }
}

function startServers(folder: string): void {
  const log = openSync(join(folder, 'log'), 'a');
  const args = ['--import', 'tsx', '-C', 'source', program, folder, String(process.env['TEST_RUN_PID'])];
  // A session of its own: Ctrl-C reaches jest only, and the servers stop in order after it.
  const servers = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  servers.unref();
  writeFileSync(join(folder, 'pid'), String(servers.pid));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
