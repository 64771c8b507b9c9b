import { execFileSync } from 'node:child_process';
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
