import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of Linux, on every platform that Node supports. */
const ticksPerSecond = 100;

/** Processor seconds of a process and its descendants (PostgreSQL's backends) so far. */
export function cpuSeconds(pid: number): number {
  const parents = readParents();
  const own = [...parents.keys()].filter((one) => isBelow(one, pid, parents));
  return own.reduce((sum, one) => sum + ticksOf(one), 0) / ticksPerSecond;
}

/** The peak resident memory of a process so far, in MB (1,000,000 bytes). */
export function peakRssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1_024) / 1_000_000;
}

/** User and system time, and that of children that have ended. */
function ticksOf(pid: number): number {
  const fields = statOf(pid);
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
}

function readParents(): Map<number, number> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return new Map(pids.map((pid) => [pid, Number(statOf(pid)[1])]));
}

function isBelow(pid: number, ancestor: number, parents: Map<number, number>): boolean {
  for (let at: number | undefined = pid; at; at = parents.get(at)) if (at === ancestor) return true;
  return false;
}

/** The fields of /proc/<pid>/stat after the name (which may hold spaces); none when the process is gone. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
