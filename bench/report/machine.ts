import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { projectRoot } from '@rewardhook/local-stack';

/** The facts about the machine and the code that are needed to compare figures. */
export interface Machine {
  cores: number;
  processor: string;
  memoryGb: number;
  kernel: string;
  node: string;
  commit: string;
  /** Whether there were uncommitted changes. */
  changed: boolean;
  /** The load average of the minute before the run. Above 0.5 the machine was busy with something else. */
  loadBefore: number;
}

/** Reads the facts. Call it before the measurements. */
export function readMachine(): Machine {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: release(),
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD') || 'unknown',
    changed: git('status', '--porcelain') !== '',
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/**
 * Measures from now until it is called again: the share of the processor time that the host gave to other machines while
 * this one wanted it, in percent. Undefined on a system without `/proc/stat`. Above 5 the figures are those of a slower machine.
 */
export function measureStolenTime(): () => number | undefined {
  const before = readProcessorTimes();
  return () => {
    const after = readProcessorTimes();
    if (!before || !after) return undefined;
    const wanted = after.wanted - before.wanted;
    return wanted > 0 ? Math.round((100 * (after.stolen - before.stolen)) / wanted) : 0;
  };
}

/** Processor time since the start of the machine, in ticks: what its processes wanted, and what the host took of it. */
function readProcessorTimes(): { wanted: number; stolen: number } | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'utf8');
  } catch {
    return undefined;
  }
  // cpu user nice system idle iowait irq softirq steal …
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (
    text.split('\n', 1)[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { wanted: user + nice + system + irq + softirq + stolen, stolen };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
