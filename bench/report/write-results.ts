import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { isMissed, ratioOf, spreadOf, goalResultOf } from './figure.ts';
import type { Figure } from './figure.ts';
import type { Machine } from './machine.ts';

/** The results of a run. */
export interface Results {
  startedAt: string;
  seconds: number;
  machine: Machine & { stolenPercent: number | undefined; hugePages: boolean };
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
    goalResult: goalResultOf(figure) || undefined,
    bottleneck: isMissed(figure) ? figure.bottleneck : undefined,
  }));
  mkdirSync(join(projectRoot, 'bench/results'), { recursive: true });
  writeFileSync(join(projectRoot, name), `${JSON.stringify({ ...results, figures }, null, 2)}\n`);
  return name;
}
