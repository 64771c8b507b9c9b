import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { projectRoot } from '@rewardhook/local-stack';

/** What a reader has to know of the machine and the code to compare figures. */
export interface Machine {
  cores: number;
  processor: string;
  memoryGb: number;
  kernel: string;
  node: string;
  commit: string;
  /** Uncommitted changes were there. */
  changed: boolean;
  /** Processes that were running or waiting before the run, 1 minute's average: above 0.5, others were at work. */
  loadBefore: number;
}

/** Reads the facts; call it before the work begins. */
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
