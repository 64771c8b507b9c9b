import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

const stages = ['sync', 'reward-evaluation', 'webhook-delivery'];
const workers = [...stages, 'housekeeping'];
const withDatabase = ['api', ...workers, 'console'];

/** The letters in the column "processes" of the table. */
const groups: Record<string, string[]> = {
  W: stages,
  P: withDatabase,
  R: [...withDatabase, 'dashboard'],
  H: ['housekeeping'],
};

/**
 * Reads the table of metrics in docs/operations/watch.md. Returns, for each process, its metrics as
 * `name type`, sorted.
 */
export function documentedMetrics(): Map<string, string[]> {
  const text = readFileSync(join(projectRoot, 'docs/operations/watch.md'), 'utf8');
  const byProcess = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, metric = '', type = '', processes = ''] = line.split('|').map((cell) => cell.trim());
    const name = /^`(rewardhook_[^`]+)`$/.exec(metric)?.[1];
    if (name === undefined) continue;
    for (const process of processes.split(', ').flatMap((group) => groups[group] ?? [group]))
      byProcess.set(process, [...(byProcess.get(process) ?? []), `${name.replace(/\{.*/, '')} ${type}`]);
  }
  return new Map([...byProcess].map(([process, metrics]) => [process, metrics.toSorted()]));
}

/** The metrics of our own in the text of `/metrics`, as `name type`, sorted. */
export function exportedMetrics(text: string): string[] {
  return [...text.matchAll(/^# TYPE (rewardhook_\w+) (\w+)$/gm)]
    .map(([, name, type]) => `${name} ${type}`)
    .toSorted();
}
