import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot, removeStackData, startStack } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing';
import { tableOf } from '../bench/report/print-table.ts';
import { runSections, sectionNames } from '../bench/sections/run-sections.ts';
import type { SectionName } from '../bench/sections/run-sections.ts';
import { smallestRun } from '../bench/settings.ts';
import { openBench } from '../bench/stack/bench.ts';
import type { Bench } from '../bench/stack/bench.ts';
import { buildProject } from './harness/build-project.ts';

jest.setTimeout(120_000);

/** Sections whose sizes are what they are about: they take minutes. growth.sweep.test.ts runs the one with a database of its own. */
const long: SectionName[] = ['isolation', 'scale', 'growth'];

describe('The bench', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-bench-'));
  let stack: Stack;
  let bench: Bench;
  beforeAll(async () => {
    await buildProject();
    stack = await startStack({ dataDir, env: { LOG_LEVEL: 'warn' } });
    bench = await openBench(stack, smallestRun, () => undefined);
  });
  afterAll(async () => {
    await bench?.close();
    await stack?.stop();
    removeStackData(dataDir);
  });

  it.each(sectionNames.filter((name) => !long.includes(name)))(
    'The section %s runs in its smallest size and prints a number for each figure',
    async (name) => {
      const figures = await runSections(bench, [name]);
      expect(figures).not.toEqual([]);
      expect(figures.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
      expect(tableOf(figures)).not.toContain('NaN');
    },
  );

  it('Every section is described in docs/performance.md', () => {
    const page = readFileSync(join(projectRoot, 'docs/performance.md'), 'utf8');
    const described = [...page.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
    expect(described.toSorted()).toEqual([...sectionNames].toSorted());
  });
});
