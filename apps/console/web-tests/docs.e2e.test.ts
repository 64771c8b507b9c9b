import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe('The documents in Chromium', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterAll(() => site.close());

  const desk = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;

  it('A visitor without a sign-in searches the documents and is led to the heading that has the words', async () => {
    const { page, context, pageErrors } = await site.open(desk);
    await visit(page, '/docs');
    await page.getByRole('heading', { name: /Quickstart/, level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('public_key_requ');
    await page.getByRole('button', { name: /Errors and limits · Error codes/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/\w+(#.*)?$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Search the docs' }).click();
    await page.getByRole('searchbox').fill('grant once');
    await page.getByRole('button', { name: /Receiving webhooks · Grant once/ }).click();
    await page.waitForURL('**/docs/webhooks#grant-once');
    const heading = page.getByRole('heading', { name: 'Grant once' });
    await heading.waitFor();
    expect((await heading.boundingBox())?.y).toBeLessThan(200);
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('A code block is copied as it is in the document', async () => {
    const { page, context } = await site.open({
      ...desk,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await visit(page, '/docs/rewards');
    await page
      .getByRole('button', { name: /^Copy: Example/ })
      .nth(1)
      .click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      '{ "trigger": "every_order", "referrer": null, "budget": 10000000 }',
    );
    await context.close();
  });

  it('A link to a heading holds in Korean, and the language can be switched on the page', async () => {
    const { page, context, pageErrors } = await site.open({ ...desk, locale: 'ko-KR' });
    await visit(page, '/docs/webhooks#retries');
    await page.getByRole('heading', { name: /^재시도/ }).waitFor();
    expect(await page.locator('#retries').innerText()).toContain('재시도');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Retries' }).waitFor();
    await page
      .getByRole('navigation', { name: 'On this page' })
      .getByRole('link', { name: 'Headers' })
      .click();
    await page.waitForURL(/\/docs\/webhooks#headers$/);
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('A small screen has the navigation in a drawer and the contents above the text', async () => {
    const { page, context } = await site.open({ viewport: { width: 360, height: 740 } });
    await visit(page, '/docs/linking');
    await page.getByText('On this page').first().click();
    await page.getByRole('link', { name: 'Share links', exact: true }).first().click();
    await page.waitForURL(/#share-links$/);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Errors and limits' }).click();
    await page.getByRole('heading', { name: 'Errors and limits', level: 1 }).waitFor();
    await context.close();
  });

  it('An unknown document is reported, and a page of the console opens its document in a new tab', async () => {
    const { email } = await site.running.signUp();
    const { page, context } = await site.open(desk);
    await visit(page, '/docs/operations');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await signInByApi(context, email);
    await visit(page, '/webhooks');
    const opened = context.waitForEvent('page');
    await page.getByRole('main').getByRole('link', { name: 'Documentation' }).click();
    const tab = await opened;
    await tab.getByRole('heading', { name: 'Receiving webhooks', level: 1 }).waitFor();
    await context.close();
  });
});
