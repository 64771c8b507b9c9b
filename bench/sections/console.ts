import { chromium } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing';
import { median } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';

const section = 'The console in Chromium, nothing cached';
const visits = 9;

/** Runs in the browser. */
function isFieldThere(): boolean {
  const { document } = globalThis as unknown as {
    document: { querySelector(selector: string): { checkVisibility(): boolean } | null };
  };
  return document.querySelector('input')?.checkVisibility() ?? false;
}

/** From going to the console's first page until one can type into it. */
export async function measureConsole(bench: Bench): Promise<Figure[]> {
  bench.say(`console: ${visits} first visits`);
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  try {
    const times: number[] = [];
    for (let visit = 0; visit <= visits; visit += 1) {
      const context = await browser.newContext({ locale: 'en-US' });
      const page = await context.newPage();
      const started = performance.now();
      await page.goto(`${bench.stack.consoleUrl}/sign-in`, { waitUntil: 'commit' });
      // Looked for in each frame; a locator looks again after up to half a second.
      await page.waitForFunction(isFieldThere);
      await page.getByRole('textbox').first().fill('ann@shop.example');
      times.push(performance.now() - started);
      await context.close();
    }
    const repetitions = times.slice(1);
    return [
      {
        section,
        name: 'first visit to first typing',
        value: median(repetitions),
        unit: 'ms',
        repetitions,
        goal: { of: 'value', atMost: 1_000 },
      },
    ];
  } finally {
    await browser.close();
  }
}
