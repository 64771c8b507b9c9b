import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../wait-for.ts';
import { identityOf } from './process-identity.ts';

interface Entry {
  pid: number;
  identity: string;
}

interface Claim {
  owner: Entry;
  children: Entry[];
}

/** The right to run processes on a data folder. */
export interface FolderClaim {
  /** Records the child processes, so that the next start can end them when this process is killed. */
  record(pids: number[]): void;
  release(): void;
}

/**
 * Claims a data folder for this process. When the last owner was killed, its recorded processes are ended first, if they
 * are still the same ones.
 * @throws when another process owns the folder
 */
export async function claimFolder(dataDir: string): Promise<FolderClaim> {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'claim.json');
  const earlier = readClaim(path);
  if (earlier && isAlive(earlier.owner)) {
    throw new Error(
      `${dataDir} is used by process ${earlier.owner.pid}: stop that one first (Ctrl-C there).`,
    );
  }
  if (earlier) await endLeftovers(earlier.children);
  const owner = entryOf(process.pid)!;
  const write = (children: Entry[]) =>
    writeFileSync(path, JSON.stringify({ owner, children } satisfies Claim), { mode: 0o600 });
  write([]);
  return {
    record: (pids) => write(pids.map(entryOf).filter((entry) => entry !== undefined)),
    release: () => rmSync(path, { force: true }),
  };
}

function readClaim(path: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Claim;
  } catch {
    return undefined;
  }
}

function entryOf(pid: number): Entry | undefined {
  const identity = identityOf(pid);
  return identity === undefined ? undefined : { pid, identity };
}

function isAlive({ pid, identity }: Entry): boolean {
  return identityOf(pid) === identity;
}

async function endLeftovers(children: Entry[]): Promise<void> {
  const signalAll = (signal: NodeJS.Signals) => {
    for (const child of children.filter(isAlive)) process.kill(child.pid, signal);
  };
  const allGone = () => !children.some(isAlive);
  signalAll('SIGTERM');
  await waitFor(allGone, { deadlineMs: 4_000, everyMs: 50 }).catch(() => signalAll('SIGKILL'));
  await waitFor(allGone, { deadlineMs: 2_000, what: 'the end of an earlier run' });
}
