import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { isMissed, ratioOf, spreadOf, verdictOf } from './figure.ts';
import type { Figure } from './figure.ts';
import type { Machine } from './machine.ts';

/** What a run of the bench came to. */
export interface Results {
  startedAt: string;
  seconds: number;
  machine: Machine;
  settings: object;
  method: string[];
  figures: Figure[];
}

/** Writes `bench/results/<time>.json` and returns its path from the project's root. */
export function writeResults(results: Results): string {
  const name = `bench/results/${results.startedAt.replaceAll(':', '-').slice(0, 19)}.json`;
  const figures = results.figures.map((figure) => ({
    ...figure,
    ratio: ratioOf(figure),
    spread: spreadOf(figure),
    verdict: verdictOf(figure) || undefined,
    inTheWay: isMissed(figure) ? figure.inTheWay : undefined,
  }));
  mkdirSync(join(projectRoot, 'bench/results'), { recursive: true });
  writeFileSync(join(projectRoot, name), `${JSON.stringify({ ...results, figures }, null, 2)}\n`);
  return name;
}
