import { randomBytes } from 'node:crypto';
import { chromium } from 'playwright-core';
import { insertInvitation, newInvitation } from '@rewardhook/database';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/local-stack';
import { median } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';

const section = 'The console in Chromium, nothing cached';
const visits = 9;

/** How soon a user can work: type into the sign-in form, and read the home page when they are signed in. */
export async function measureConsole(bench: Bench): Promise<Figure[]> {
  const { consoleUrl } = bench.stack;
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  try {
    bench.log(`console: ${visits} first visits of the sign-in, and of the home page`);
    const typing = await measureVisits(browser, {}, async (page) => {
      await page.goto(`${consoleUrl}/sign-in`, { waitUntil: 'commit' });
      await page.waitForFunction(isThere, 'input');
      await page.getByRole('textbox').first().fill('ann@shop.example');
    });
    const session = await signIn(browser, bench);
    const reading = await measureVisits(browser, { storageState: session }, async (page) => {
      await page.goto(consoleUrl, { waitUntil: 'commit' });
      await page.waitForFunction(isThere, 'main dl dd');
    });
    return [
      figure('first visit to first typing', typing),
      figure('first visit to the figures of the home page', reading),
    ];
  } finally {
    await browser.close();
  }
}

/** The milliseconds of each visit, without the first one, which starts the browser's own processes. */
async function measureVisits(
  browser: Browser,
  options: BrowserContextOptions,
  visit: (page: Page) => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number <= visits; number += 1) {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    const page = await context.newPage();
    const started = performance.now();
    await visit(page);
    times.push(performance.now() - started);
    await context.close();
  }
  return times.slice(1);
}

/** Signs in to a new merchant through an invitation, as `npm run admin -- merchant invite` creates it. */
async function signIn(browser: Browser, { stack, database, createMerchant }: Bench) {
  const { merchantId } = await createMerchant('Bench');
  const email = `bench-${randomBytes(6).toString('hex')}@shop.example`;
  const { row, path } = newInvitation({ merchantId, email, role: 'owner' });
  await insertInvitation(database, row, { mail: false });
  const context = await browser.newContext();
  const answer = await context.request.post(`${stack.consoleUrl}/api/console${path}/accept`, {
    headers: { 'x-rewardhook-console': '1', origin: stack.consoleUrl },
    data: { password: randomBytes(12).toString('hex') },
  });
  if (!answer.ok()) throw new Error(`the invitation answered ${answer.status()}: ${await answer.text()}`);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Runs in the browser, in each frame. A locator would check again only after up to half a second. */
function isThere(selector: string): boolean {
  const { document } = globalThis as unknown as {
    document: { querySelector(selector: string): { checkVisibility(): boolean } | null };
  };
  return document.querySelector(selector)?.checkVisibility() ?? false;
}

function figure(name: string, repetitions: number[]): Figure {
  return {
    section,
    name,
    value: median(repetitions),
    unit: 'ms',
    repetitions,
    goal: { of: 'value', atMost: 1_000 },
  };
}
