import { goodPassword } from '../testing/open-console.ts';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe('The test side in Chromium', () => {
  let site: Site;
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    site = await openSite();
    owner = await site.running.signUp('Tea shop');
  }, 300_000);
  afterAll(() => site.close());

  it('A click creates a sample that ends in confirmed rewards within a minute, also under a program with a hold', async () => {
    const { page, context, pageErrors } = await site.open();
    await signInByApi(context, owner.email);
    const { versions } = (await owner.browser.get('/test/program')).data as {
      versions: { version: number; terms: { rules: object[] } }[];
    };
    const terms = { ...versions[0]?.terms, rules: [{ ...versions[0]?.terms.rules[0], holdDays: 7 }] };
    await owner.browser.post('/test/program', { terms, base_version: versions[0]?.version });
    await visit(page, '/test');
    await page.getByRole('button', { name: 'Create sample referral and order' }).click();
    const steps = page.locator('ol[aria-live=polite] > li');
    await steps
      .filter({ hasText: 'Rewards confirmed' })
      .getByRole('img', { name: 'Done' })
      .waitFor({ timeout: 60_000 });
    await steps.getByText('Referred member: 3,000 points').waitFor();
    // The sample is in the URL, and its order is on the test side only.
    await steps.getByRole('link', { name: /^sample-.*-order$/ }).click();
    await page.getByRole('heading', { level: 1, name: /^sample-/ }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/test\/orders\/sample-/);
    expect(pageErrors).toEqual([]);
    await context.close();
  }, 120_000);

  it('Two tabs show different sides, and a link to a page of the test side survives the sign-in', async () => {
    const { page, context } = await site.open();
    await page.goto('/test/credentials');
    await page.getByRole('textbox', { name: 'Email' }).fill(owner.email);
    await page.locator('input[type=password]').fill(goodPassword);
    await page.locator('button[type=submit]').click();
    await page.waitForURL('**/test/credentials');
    await page.getByText('Test mode.').waitFor();
    await page.getByText('svc_pk_test_').first().waitFor();
    const live = await context.newPage();
    await visit(live, '/credentials');
    expect(await live.getByText('Test mode.').count()).toBe(0);
    expect(await live.getByText('svc_pk_test_').count()).toBe(0);
    await live.getByRole('navigation', { name: 'Live or test' }).getByRole('link', { name: 'Test' }).click();
    await live.waitForURL('**/test/credentials');
    await page.reload();
    await page.getByText('Test mode.').waitFor();
    await page.getByRole('navigation', { name: 'Live or test' }).getByRole('link', { name: 'Live' }).click();
    await page.waitForURL((url) => url.pathname === '/credentials');
    await context.close();
  }, 60_000);

  it('The test data is deleted after a confirmation, and the page says when', async () => {
    const { page, context } = await site.open();
    await signInByApi(context, owner.email);
    await visit(page, '/test');
    await page.getByRole('button', { name: 'Delete test data' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete test data' }).click();
    await page.getByText('Last deleted:').waitFor({ timeout: 30_000 });
    const { items } = (await owner.browser.get('/test/orders')).data as { items: unknown[] };
    expect(items).toEqual([]);
    await context.close();
  }, 60_000);
});
