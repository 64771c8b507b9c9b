import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing';
import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';

jest.setTimeout(60_000);

const data = { merchantId: 'mer_0123456789ABCDEFGHIJKL' };

describe.each(['light', 'dark'] as const)('The buttons for an operator, %s', (colorScheme) => {
  let dashboard: TestDashboard;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard(process.env['TEST_REDIS_URL'] as string);
    for (const queue of dashboard.queues) await queue.add(queue.name, data, { delay: 3_600_000 });
    browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
    const credentials = { username: 'operator', password: 'operator: päss' };
    page = await browser.newPage({ httpCredentials: credentials, colorScheme });
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
  });

  const texts = async (selector: string) => {
    // The first entry may be one that is hidden.
    await page.locator(`${selector}:visible`).first().waitFor();
    const shown = await page.locator(`${selector}:visible`).all();
    return Promise.all(shown.map((one) => one.innerText()));
  };
  /** The entries of the queue's menu, and the icons of its lists of buttons. */
  const actions = async (queueName: string) => {
    await page.goto(`${dashboard.url}/queue/${queueName}?status=delayed`);
    const buttons = 'main li button svg.lucide';
    await page.locator(buttons).first().waitFor();
    const icons = await page.locator(`${buttons}:visible`).all();
    const classes = await Promise.all(icons.map((one) => one.getAttribute('class')));
    await page.locator('[aria-haspopup="menu"]').last().click();
    const menu = await texts('[role="menuitem"]');
    const folder = process.env['SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${queueName}-${colorScheme}.png` });
    return { menu, icons: classes.map((one) => /lucide-[\w-]+$/.exec(one ?? '')?.[0]) };
  };

  it('A queue that holds the only copy of orders has no button that removes jobs', async () => {
    expect(await actions('sync')).toEqual({
      menu: ['Pause', 'Set concurrency', 'Set rate limit'],
      icons: ['lucide-corner-up-left', 'lucide-corner-up-left', 'lucide-clock'],
    });
  });

  it('A queue whose jobs are hints has buttons that remove jobs, and none that writes their content', async () => {
    expect(await actions('webhook-delivery')).toEqual({
      menu: ['Pause', 'Set concurrency', 'Set rate limit', 'Empty', 'Obliterate'],
      icons: [
        'lucide-corner-up-left',
        'lucide-trash-2',
        'lucide-corner-up-left',
        'lucide-clock',
        'lucide-trash-2',
      ],
    });
  });

  it('The menus of the overview have no button that removes jobs', async () => {
    await page.goto(dashboard.url);
    await page.locator('main li [aria-haspopup="menu"]').first().waitFor();
    for (const menu of await page.locator('main li [aria-haspopup="menu"]').all()) {
      await menu.click();
      expect(await texts('[role="menuitem"]')).toEqual(['Pause', 'Set concurrency', 'Set rate limit']);
      await page.keyboard.press('Escape');
      await page.locator('[role="menuitem"]').first().waitFor({ state: 'detached' });
    }
  });
});
