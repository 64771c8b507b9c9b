import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import type { Figure } from '../report/figure.ts';
import type { Machine } from '../report/machine.ts';

/** The run that the figures of a section are from. */
export type Run = Pick<Machine, 'cores' | 'processor' | 'memoryGb' | 'node' | 'commit' | 'changed'> & {
  /** The day, YYYY-MM-DD. */
  date: string;
  /** The share of the processor time that the host took; undefined when it was not measured. */
  stolenPercent?: number | undefined;
  /** Whether the shared memory of PostgreSQL was in huge pages; undefined when it was not read. */
  hugePages?: boolean | undefined;
};

/** The figures of one section, and when they were measured. */
export interface MeasuredSection {
  section: string;
  run: Run;
  figures: Figure[];
}

/** The part of a file of `bench/results` that is read. */
export interface ResultFile {
  startedAt: string;
  machine: Machine & Pick<Run, 'stolenPercent' | 'hugePages'>;
  figures: Figure[];
}

const path = join(projectRoot, 'docs/performance.json');

/** Reads `docs/performance.json`: the last published figures of each section. */
export function readMeasured(): MeasuredSection[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as MeasuredSection[]) : [];
}

/** Writes `docs/performance.json`. */
export function writeMeasured(measured: MeasuredSection[]): void {
  writeFileSync(path, `${JSON.stringify(measured, null, 2)}\n`);
}

/**
 * Replaces the sections that a result has; the others stay. Sections with the same text before a colon are measured
 * together and replaced together, since what follows may contain a measured load.
 */
export function mergeResult(measured: MeasuredSection[], result: ResultFile): MeasuredSection[] {
  const { cores, processor, memoryGb, node, commit, changed, stolenPercent, hugePages } = result.machine;
  const date = result.startedAt.slice(0, 10);
  const run: Run = { cores, processor, memoryGb, node, commit, changed, date, stolenPercent, hugePages };
  const titles = [...new Set(result.figures.map(({ section }) => section))];
  const fresh = titles.map((section) => ({
    section,
    run,
    figures: result.figures.filter((figure) => figure.section === section),
  }));
  const replaced = new Set(titles.map(familyOf));
  return [...measured.filter(({ section }) => !replaced.has(familyOf(section))), ...fresh].toSorted(
    (one, other) => one.section.localeCompare(other.section, 'en'),
  );
}

function familyOf(section: string): string {
  return section.split(':')[0] ?? section;
}
