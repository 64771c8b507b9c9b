import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { projectRoot } from '@rewardhook/local-stack';

/** The machine and the code, in one line. Call it before the measurements: above a load of 0.5 the machine was busy. */
export function describeMachine(): string {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const changed = git('status', '--porcelain') === '' ? '' : ' with changes';
  return [
    `${cpus().length} cores (${processor})`,
    `${Math.round(totalmem() / 1e9)} GB`,
    `Node ${process.version}`,
    `commit ${git('rev-parse', '--short', 'HEAD') || 'unknown'}${changed}`,
    `load before ${(loadavg()[0] ?? 0).toFixed(1)}`,
  ].join(', ');
}

/**
 * Measures from now until it is called again: the share of the processor time that the host gave to other machines while
 * this one wanted it. Above 5 % the figures are those of a slower machine.
 */
export function measureStolenTime(): () => string {
  const before = readProcessorTimes();
  return () => {
    const after = readProcessorTimes();
    const wanted = after.wanted - before.wanted;
    return `stolen ${wanted > 0 ? Math.round((100 * (after.stolen - before.stolen)) / wanted) : 0} %`;
  };
}

/** Processor time since the start of the machine, in ticks: what its processes wanted, and what the host took of it. */
function readProcessorTimes(): { wanted: number; stolen: number } {
  // cpu user nice system idle iowait irq softirq steal …
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
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
