import type { Page } from 'playwright-core';
import { recordProblems } from '@rewardhook/database/operations';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { goodPassword } from '../testing/open-console.ts';
import type { SignUpResponse } from '../src/api-types.ts';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { openSite } from './testing/open-site.ts';
import type { Site, Visit } from './testing/open-site.ts';
import { signInByApi, signIn, visit } from './testing/sign-in.ts';

const everyCall = '**/api/console/**';

describe('The console when something fails', () => {
  let site: Site;
  let signedUp: SignedUpMerchant;
  let visited: Visit;

  beforeAll(async () => {
    site = await openSite();
    signedUp = await site.running.signUp('Tea shop');
    await site.flow.link(signedUp.merchant, 'ann', 'bob');
    await site.flow.syncAndSettle(signedUp.merchant, buildOrder({ order_id: 'first', member_id: 'bob' }));
  }, 300_000);
  afterAll(() => site.close());
  beforeEach(async () => {
    visited = await site.open({ reducedMotion: 'reduce' });
    await signInByApi(visited.context, signedUp.email);
  });
  afterEach(async () => {
    expect(visited.pageErrors).toEqual([]);
    await visited.context.close();
  });

  it('A page warns that it may be out of date while the server does not respond, and a failed action shows its error', async () => {
    const { page } = visited;
    await page.clock.install();
    await visit(page, '/orders');
    const readAgain = () => page.clock.fastForward(60_000);
    await page.route(everyCall, (route) => route.abort());
    await readAgain();
    await page.getByText('This page may be out of date').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The server did not respond.').waitFor();
    await page.unroute(everyCall);
    await readAgain();
    await page.getByText('This page may be out of date').waitFor({ state: 'detached' });
  });

  it('An open page shows within a minute that the operator has paused the shop, and that the pause has ended', async () => {
    const { page } = visited;
    const merchantId = signedUp.merchant.id;
    await page.clock.install();
    await visit(page, '/settings');
    const banner = page.getByText('The operator has paused this shop');
    const pause = { merchant: merchantId, reason: 'for other operators', contact: 'ops@example.com' };
    await site.flow.admin('merchant pause', pause);
    await page.clock.fastForward(60_000);
    await banner.waitFor();
    await site.flow.admin('merchant resume', { merchant: merchantId });
    // Another page reads its data, and the session with it.
    await page.clock.fastForward(11_000);
    await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
    await banner.waitFor({ state: 'detached' });
  });

  it('Rows of the previous filter are marked as busy until a slow server answers', async () => {
    const { page } = visited;
    await visit(page, '/rewards');
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/rewards?*state=revoked*', (route) => answered.then(() => route.continue()));
    await page.getByLabel('State').selectOption('revoked');
    await page.locator('[aria-busy=true]').getByText('Confirmed').first().waitFor();
    answer();
    await page.getByText('No results').waitFor();
  });

  it('A form keeps its input when the session has ended, and is saved after a sign-in in another tab', async () => {
    const { page, context } = visited;
    await visit(page, '/settings');
    await page.getByLabel('Contact email').fill('help@example.com');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save changes' }).click();
    const [otherTab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await signIn(otherTab, signedUp.email);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
  });

  it('A tab switches to the merchant that another tab selected, and shows no data of the previous one', async () => {
    const { page, context } = visited;
    const owner = await site.running.signUp('Old shop');
    const more = { merchant_name: 'New shop', timezone: 'UTC' };
    expect((await owner.browser.post('/merchants', more)).status).toBe(201);
    await signInByApi(context, owner.email);
    const menu = (of: Page) => of.getByRole('button', { name: 'Switch shop' });
    await visit(page, '/settings');
    const before = String(await menu(page).getAttribute('aria-label'));
    const otherTab = await context.newPage();
    await visit(otherTab, '/');
    await menu(otherTab).click();
    await otherTab
      .getByRole('menuitem')
      .filter({ hasNotText: before.replace(/.*: /, '') })
      .click();
    const other = before.includes('Old') ? 'New shop' : 'Old shop';
    await page.getByRole('button', { name: `current: ${other}` }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Shop name' }).inputValue()).toBe(other);
  });

  it('A change is refused when another merchant was selected without the page being notified', async () => {
    const { page, context } = visited;
    const owner = await site.running.signUp('Old shop');
    const other = await owner.browser.post('/merchants', { merchant_name: 'New shop', timezone: 'UTC' });
    await signInByApi(context, owner.email);
    await page.clock.install();
    await visit(page, '/settings');
    const name = page.getByRole('textbox', { name: 'Shop name' });
    const { merchant } = (other.data as SignUpResponse).session;
    const choice = (await name.inputValue()) === 'Old shop' ? merchant.id : owner.merchant.id;
    const chosen = await context.request.post('/api/console/session/merchant', {
      data: { merchant_id: choice },
      headers: { 'x-rewardhook-console': '1', 'sec-fetch-site': 'same-origin' },
    });
    expect(chosen.status()).toBe(200);
    await name.fill('Renamed');
    // The page reads the session again after 30 s.
    const sessionRead = page.waitForResponse((response) => response.url().endsWith('/session'));
    await page.clock.fastForward(61_000);
    await sessionRead;
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('another shop is now selected in this browser').waitFor();
    expect(await site.flow.database.merchant.count({ where: { name: 'Renamed' } })).toBe(0);
  });

  it('Days in a link that are not valid are ignored', async () => {
    const { page } = visited;
    for (const days of ['from=2026-99-99', 'from=2026-11-2&to=abc', 'to=0000-01-01']) {
      await visit(page, `/rewards?${days}`);
      await page.getByRole('button', { name: 'Any time' }).waitFor();
      await page.getByRole('link', { name: 'bob' }).waitFor();
    }
  });

  it('A draft of the program is kept while the versions are shown', async () => {
    const { page } = visited;
    await visit(page, '/program');
    await page.getByRole('textbox', { name: 'Budget' }).fill('12345');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('tab', { name: 'Edit and simulate' }).click();
    expect(await page.getByRole('textbox', { name: 'Budget' }).inputValue()).toBe('12,345');
  });

  it('A space at the end of a search is kept while the search is typed', async () => {
    const { page } = visited;
    await visit(page, '/members');
    await page.getByRole('searchbox').fill('tea ');
    await page.waitForURL(/search=tea\+$/);
    await page.getByRole('searchbox').press('x');
    expect(await page.getByRole('searchbox').inputValue()).toBe('tea x');
  });

  it('A link to a section scrolls to it, also on a page that was loaded before', async () => {
    const { page } = visited;
    await visit(page, '/credentials');
    for (const name of ['Members', 'bob', 'Set a landing URL'])
      await page.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { name: 'Pages and share links', exact: true }).waitFor();
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(0);
  });

  it('Back skips the sign-in page after a sign-in', async () => {
    const { page, context } = visited;
    await visit(page, '/team');
    await context.clearCookies();
    await page.goto('/orders');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill(signedUp.email);
    await page.locator('input[type=password]').fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
  });

  it('A wrong password is reported at its field', async () => {
    const { page } = visited;
    await visit(page, '/settings');
    await page.getByRole('textbox', { name: 'Current password' }).fill('not this one');
    await page.getByRole('textbox', { name: 'New password' }).fill('a password for later');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is incorrect.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  const publish = async (page: Page) => {
    // A tab in the background renders nothing, and what is not rendered cannot be clicked.
    await page.bringToFront();
    await page.getByRole('button', { name: /^Publish version/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Publish version/ });
    await dialog.getByRole('button', { name: /^Publish version/ }).click();
    return dialog;
  };

  it('A version that another tab published is shown, and the next publication adds the edits of this tab to it', async () => {
    const { page, context } = visited;
    const otherTab = await context.newPage();
    const minimum = (of: Page) => of.getByRole('textbox', { name: 'Minimum order amount' });
    const budget = (of: Page) => of.getByRole('textbox', { name: 'Budget' });
    await visit(otherTab, '/program');
    await page.bringToFront();
    await visit(page, '/program');
    await budget(page).fill('777000');
    await otherTab.bringToFront();
    await minimum(otherTab).fill('5000');
    await publish(otherTab);
    await otherTab.getByText('Version 2 published').waitFor();
    const dialog = await publish(page);
    await dialog.getByText('Your changes were not saved').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Version 2 was published while you were editing').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Minimum order amount: KRW 1 → KRW 5,000' }).waitFor();
    expect([await minimum(page).inputValue(), await budget(page).inputValue()]).toEqual(['5,000', '777,000']);
    await publish(page);
    await page.getByText('Version 3 published').waitFor();
    const { terms } = await site.flow.database.programVersion.findUniqueOrThrow({
      where: { merchantId_version: { merchantId: signedUp.merchant.id, version: 3 } },
    });
    expect(terms).toMatchObject({
      rules: [{ minimumPaidAmount: 5_000 }],
      limits: { budget: { total: 777_000 } },
    });
    expect(await page.getByText('was published while you were editing').count()).toBe(0);
    await otherTab.close();
  });

  it('Settings that someone else saved are taken over and shown while other settings are edited', async () => {
    const { page } = visited;
    const created = await signedUp.browser.post('/webhooks', {
      url: 'https://hooks.example.com/a',
      event_types: ['reward.issue'],
    });
    const { id } = created.data as { id: string };
    await visit(page, `/webhooks/${id}?part=settings`);
    await page.getByRole('checkbox', { name: 'reward.revoke' }).check();
    await signedUp.browser.send('PATCH', `/webhooks/${id}`, { url: 'https://hooks.example.com/b' });
    await page.getByText('Someone else saved changes while you were editing').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    expect((await signedUp.browser.get(`/webhooks/${id}`)).data).toMatchObject({
      url: 'https://hooks.example.com/b',
      event_types: ['reward.issue', 'reward.revoke'],
    });
  });

  it('A page with unsaved changes asks before it is left by a link, Back, a sign-out or a reload', async () => {
    const { page } = visited;
    await visit(page, '/orders');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    const name = page.getByRole('textbox', { name: 'Shop name' });
    await name.fill('Half typed');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    const ways = [
      () => page.getByRole('link', { name: 'Rewards', exact: true }).click(),
      () => page.evaluate('void history.back()'),
      () => page.getByRole('button', { name: 'Sign out' }).click(),
    ];
    for (const go of ways) {
      await go();
      await dialog.getByRole('button', { name: 'Keep editing' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect([new URL(page.url()).pathname, await name.inputValue()]).toEqual(['/settings', 'Half typed']);
    }
    const prompts: string[] = [];
    page.once('dialog', (prompt) => {
      prompts.push(prompt.type());
      void prompt.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    await waitFor(() => prompts.length > 0, { what: 'the dialog of the browser' });
    expect(prompts).toEqual(['beforeunload']);
    expect(await name.inputValue()).toBe('Half typed');
    await page.evaluate('void history.back()');
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    expect(await name.inputValue()).toBe('Tea shop');
  });

  it('Unsaved input stays in the form when the session ends', async () => {
    const { page, context } = visited;
    await page.clock.install();
    await visit(page, '/program');
    const budget = page.getByRole('textbox', { name: 'Budget' });
    await budget.fill('4321');
    await context.clearCookies();
    await page.clock.fastForward(61_000);
    const refused = page.waitForResponse((response) => response.status() === 401);
    await page.evaluate(`void dispatchEvent(new Event('visibilitychange'))`);
    await refused;
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('tab', { name: 'Edit and simulate' }).click();
    expect(await budget.inputValue()).toBe('4,321');
  });

  it('A failing webhook is on Home and in the menu with its host, and leads to its page; the test side says that it is not watched', async () => {
    const { page, context } = visited;
    await injectAxe(context);
    // The other shop has rewards without a webhook.
    const shop = await site.running.signUp('Coffee shop');
    await signInByApi(context, shop.email);
    const created = await shop.browser.post('/webhooks', {
      url: 'https://rewards.example.com/secret-path',
      event_types: ['reward.issue'],
    });
    const { id } = created.data as { id: string };
    await visit(page, '/');
    await page.getByText('All well: no problem in the last 90 days.').waitFor();
    const problem = { merchantId: shop.merchant.id, kind: 'webhook_failing', subject: id } as const;
    await recordProblems(site.flow.database, [{ ...problem, number: 12, error: 'status 500', failures: 7 }], {
      kinds: [],
      findings: [],
    });
    await visit(page, '/');
    await page.getByRole('navigation').getByRole('link', { name: 'Problems 1' }).waitFor();
    const item = page
      .getByRole('region', { name: '1 open problem' })
      .getByRole('listitem')
      .filter({ hasText: 'A webhook keeps failing: rewards.example.com' });
    const text = await item.innerText();
    for (const part of [/Deliveries that wait\s+12/, /Failures in a row\s+7/, /Last error\s+HTTP 500/])
      expect(text).toMatch(part);
    expect(text).not.toContain('secret-path');
    await item.getByRole('link', { name: 'Open webhook' }).click();
    await page.waitForURL(`**/webhooks/${id}`);
    await page.getByRole('list', { name: 'Problems on this page' }).getByText('HTTP 500').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await visit(page, '/test');
    await page.getByText('Only the live side is watched for problems.').waitFor();
    await page.getByRole('link', { name: 'Problems of the live side' }).click();
    await page.waitForURL('**/problems');
    await page.getByRole('list', { name: '1 open problem' }).waitFor();
    await site.flow.database.problem.updateMany({
      where: { merchantId: shop.merchant.id },
      data: { resolvedAt: new Date() },
    });
    await visit(page, '/problems');
    await page.getByText('All well since').waitFor();
  });

  it('An order without a referrer says so, in the list and on its page; one of another shop offers no other try', async () => {
    const { page } = visited;
    await site.flow.syncAndSettle(signedUp.merchant, buildOrder({ order_id: 'walk', member_id: 'walk-in' }));
    await visit(page, '/orders');
    await page
      .getByRole('row', { name: /walk-in/ })
      .getByText('No referrer')
      .waitFor();
    await page.getByRole('row', { name: /first/ }).getByText('3,000 points to bob').waitFor();
    await visit(page, '/orders/walk');
    await page.getByText('No reward: walk-in has no referrer.').waitFor();
    expect(await page.getByText('Being evaluated').count()).toBe(0);
    await visit(page, '/orders/first');
    await page.getByText(/3,000 points to bob: .*; 3,000 points to ann: /).waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    expect(await timeline.innerText()).not.toMatch(/version/i);
    await timeline.getByText('Show details').first().click();
    await timeline.getByRole('table', { name: 'Checks' }).waitFor();
    await visit(page, '/orders/of-another-shop');
    await page.getByText('There is no order of-another-shop in Tea shop').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('Calendars have no serious accessibility finding', async () => {
    const { page, context } = visited;
    await injectAxe(context);
    await visit(page, '/rewards');
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByRole('dialog', { name: 'Any time' }).getByRole('button', { name: 'Next' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
