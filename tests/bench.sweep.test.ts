import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeStackData, startStack } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing';
import { tableOf } from '../bench/report/print-table.ts';
import { runSections, sectionNames } from '../bench/sections/run-sections.ts';
import { smallestRun } from '../bench/settings.ts';
import { openBench } from '../bench/stack/bench.ts';
import type { Bench } from '../bench/stack/bench.ts';

jest.setTimeout(300_000);

// growth has a test and servers of its own. console needs the built page; the tests of the console open it in Chromium.
const sections = sectionNames.filter((name) => name !== 'growth' && name !== 'console');

describe('The sections of the bench in their smallest size', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-bench-'));
  let stack: Stack;
  let bench: Bench;
  beforeAll(async () => {
    const { startFrom: run } = smallestRun;
    stack = await startStack({ dataDir, run, ports: 'auto', env: { LOG_LEVEL: 'warn' } });
    bench = await openBench(stack, smallestRun, () => undefined);
  });
  afterAll(async () => {
    await bench?.close();
    await stack?.stop();
    removeStackData(dataDir);
  });

  it.each(sections)('The section %s runs to its end, and no figure is missing', async (name) => {
    const figures = await runSections(bench, [name]);
    expect(figures).not.toEqual([]);
    expect(figures.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
    expect(tableOf(figures)).not.toBe('');
  });
});
