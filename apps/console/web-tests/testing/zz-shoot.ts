import { readFileSync, mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { signIn, visit } from '/tmp/h/console/apps/console/web-tests/testing/sign-in.ts';
import {
  listPaths,
  detailPaths,
  doorPaths,
} from '/tmp/h/console/apps/console/web-tests/testing/page-paths.ts';
const site = JSON.parse(readFileSync('/tmp/console-dev/site.json', 'utf8'));
const [lookNames, ...wanted] = process.argv.slice(2);
const looks: any[] = [
  { name: 'light', colorScheme: 'light', locale: 'en-US', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', locale: 'ko-KR', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', locale: 'ko-KR', viewport: { width: 360, height: 780 } },
  { name: 'phone-dark', colorScheme: 'dark', locale: 'en-US', viewport: { width: 390, height: 844 } },
].filter((l) => lookNames === 'all' || lookNames.split(',').includes(l.name));
mkdirSync('/tmp/console-dev/shots', { recursive: true });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
for (const { name: look, ...o } of looks)
  for (const who of ['doors', 'full', 'empty']) {
    const all =
      who === 'doors'
        ? doorPaths
        : who === 'full'
          ? { ...listPaths, ...detailPaths(site.ids) }
          : Object.fromEntries(Object.entries(listPaths).map(([k, v]) => [k + '-empty', v]));
    const paths = Object.entries(all).filter(([n]) => wanted.length === 0 || wanted.includes(n));
    if (!paths.length) continue;
    const context = await browser.newContext({ baseURL: site.url, reducedMotion: 'reduce', ...o });
    const page = await context.newPage();
    page.on('pageerror', (e) => console.log(look, 'PAGEERROR', e.message));
    page.on('console', (m) => {
      if (m.type() === 'error' && !m.text().startsWith('Failed to load'))
        console.log(look, page.url(), m.text().slice(0, 300));
    });
    if (who !== 'doors') await signIn(page, site[who]);
    for (const [n, p] of paths) {
      await visit(page, p);
      await page.waitForTimeout(250);
      const w = await page.locator('html').evaluate((e) => [e.scrollWidth, e.clientWidth]);
      if (w[0] > w[1]) console.log('SIDEWAYS', look, n, w);
      await page.screenshot({ path: `/tmp/console-dev/shots/${n}.${look}.png`, fullPage: true });
    }
    await context.close();
  }
await browser.close();
