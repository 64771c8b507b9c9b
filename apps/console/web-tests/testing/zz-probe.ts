import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { signIn, visit } from './sign-in.ts';
const site = JSON.parse(readFileSync('/tmp/console-dev/site.json', 'utf8'));
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
const context = await browser.newContext({
  baseURL: site.url,
  locale: 'ko-KR',
  colorScheme: 'dark',
  viewport: { width: 1280, height: 860 },
  reducedMotion: 'reduce',
});
const page = await context.newPage();
page.on('console', (m) => console.log(m.type(), m.text().slice(0, 300)));
await signIn(page, site.full);
await visit(page, '/');
const probe = () =>
  page
    .locator('.recharts-wrapper')
    .evaluateAll((es) =>
      es.map((e) => [
        e.clientWidth,
        (e.closest('.recharts-responsive-container') as any)?.clientWidth,
        (e.closest('section') as any)?.clientWidth,
      ]),
    );
console.log(await page.locator('html').evaluate((e) => [e.clientWidth, e.scrollHeight]));
console.log(JSON.stringify(await probe()));
await page.waitForTimeout(2500);
console.log(JSON.stringify(await probe()));
console.log(
  await page.locator('.recharts-line-dots').evaluateAll((es) => es.map((e) => e.innerHTML.slice(0, 300))),
);
await page.screenshot({ path: '/tmp/console-dev/shots/probe.png' });
const t0 = Date.now();
await page.goto('/orders');
await page.locator('h1').waitFor();
console.log('orders warm ms', Date.now() - t0);
console.log(
  await page.locator('html').evaluate(() => {
    const n = performance.getEntriesByType('navigation')[0] as any;
    return [
      n.domContentLoadedEventEnd,
      n.loadEventEnd,
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    ];
  }),
);
await browser.close();
