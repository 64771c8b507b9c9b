import type { Page } from 'playwright-core';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { goodPassword } from '../testing/open-console.ts';
import type { SignUpResponse } from '../src/api-types.ts';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { openSite } from './testing/open-site.ts';
import type { Site, Visit } from './testing/open-site.ts';
import { signInByApi, signIn, visit } from './testing/sign-in.ts';

const everyCall = '**/api/console/**';

describe('what goes wrong while one uses the console', () => {
  let site: Site;
  let shop: SignedUpMerchant;
  let visited: Visit;

  beforeAll(async () => {
    site = await openSite();
    shop = await site.running.signUp('Tea shop');
    await site.flow.link(shop.merchant, 'ann', 'bob');
    await site.flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'first', member_id: 'bob' }));
  }, 300_000);
  afterAll(() => site.close());
  beforeEach(async () => {
    visited = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(visited.context);
    await signInByApi(visited.context, shop.email);
  });
  afterEach(async () => {
    expect(visited.complaints).toEqual([]);
    await visited.context.close();
  });

  it('a server that does not answer: what is shown is called old, and a button says that it failed', async () => {
    const { page } = visited;
    await page.clock.install();
    await visit(page, '/orders');
    const readAgain = () => page.clock.fastForward(60_000);
    await page.route(everyCall, (route) => route.abort());
    await readAgain();
    await page.getByText('What you see may be out of date').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    await page.unroute(everyCall);
    await readAgain();
    await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
  });

  it('a server that is slow: the rows of the filter before are marked as such', async () => {
    const { page } = visited;
    await visit(page, '/rewards');
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    await page.route('**/rewards?*state=revoked*', (route) => opened.then(() => route.continue()));
    await page.getByLabel('State').selectOption('revoked');
    await page.locator('[aria-busy=true]').getByText('Confirmed').first().waitFor();
    gate.open?.();
    await page.getByText('Nothing found').waitFor();
  });

  it('a session that has ended: what is filled in stays, and is saved after a sign-in beside it', async () => {
    const { page, context } = visited;
    await visit(page, '/settings');
    await page.getByLabel('Contact e-mail').fill('help@example.com');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save changes' }).click();
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await signIn(beside, shop.email);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved').waitFor();
  });

  it('another merchant is chosen in another tab: this one goes along, and mixes nothing', async () => {
    const { page, context } = visited;
    const owner = await site.running.signUp('Old shop');
    const more = { merchant_name: 'New shop', timezone: 'UTC' };
    expect((await owner.browser.post('/merchants', more)).status).toBe(201);
    await signInByApi(context, owner.email);
    const menu = (of: Page) => of.getByRole('button', { name: 'Choose a merchant' });
    await visit(page, '/settings');
    const before = String(await menu(page).getAttribute('aria-label'));
    const beside = await context.newPage();
    await visit(beside, '/');
    await menu(beside).click();
    await beside
      .getByRole('menuitem')
      .filter({ hasNotText: before.replace(/.*: /, '') })
      .click();
    const other = before.includes('Old') ? 'New shop' : 'Old shop';
    await page.getByRole('button', { name: `now: ${other}` }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name of the shop' }).inputValue()).toBe(other);
  });

  it('another merchant is chosen, and the page does not hear of it: it changes nothing, and says so', async () => {
    const { page, context } = visited;
    const owner = await site.running.signUp('Old shop');
    const other = await owner.browser.post('/merchants', { merchant_name: 'New shop', timezone: 'UTC' });
    await signInByApi(context, owner.email);
    await page.clock.install();
    await visit(page, '/settings');
    const name = page.getByRole('textbox', { name: 'Name of the shop' });
    const { merchant } = (other.data as SignUpResponse).session;
    const choice = (await name.inputValue()) === 'Old shop' ? merchant.id : owner.merchant.id;
    const chosen = await context.request.post('/api/console/session/merchant', {
      data: { merchant_id: choice },
      headers: { 'x-rewardhook-console': '1', 'sec-fetch-site': 'same-origin' },
    });
    expect(chosen.status()).toBe(200);
    await name.fill('Renamed');
    // As when one comes back to the tab after a while: the page asks who is signed in.
    await page.clock.fastForward(61_000);
    const asked = page.waitForResponse((response) => response.url().endsWith('/session'));
    await page.evaluate(`void dispatchEvent(new Event('visibilitychange'))`);
    await asked;
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Another merchant was chosen in this browser').waitFor();
    expect(await site.flow.database.merchant.count({ where: { name: 'Renamed' } })).toBe(0);
  });

  it('a link whose days are none: they are left out', async () => {
    const { page } = visited;
    for (const days of ['from=2026-99-99', 'from=2026-11-2&to=abc', 'to=0000-01-01']) {
      await visit(page, `/rewards?${days}`);
      await page.getByRole('button', { name: 'Any time' }).waitFor();
      await page.getByRole('link', { name: 'bob' }).waitFor();
    }
  });

  it('a draft of the rule is kept while one looks at the versions', async () => {
    const { page } = visited;
    await visit(page, '/program');
    await page.getByRole('textbox', { name: 'Budget' }).fill('12345');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('tab', { name: 'Edit and simulate' }).click();
    expect(await page.getByRole('textbox', { name: 'Budget' }).inputValue()).toBe('12,345');
  });

  it('a space while one types a search is not taken away', async () => {
    const { page } = visited;
    await visit(page, '/members');
    await page.getByRole('searchbox').fill('tea ');
    await page.waitForURL(/search=tea$/);
    await page.getByRole('searchbox').press('x');
    expect(await page.getByRole('searchbox').inputValue()).toBe('tea x');
  });

  it('a link to a part of a page leads there, also when the page was read before', async () => {
    const { page } = visited;
    await visit(page, '/credentials');
    for (const name of ['Members', 'bob', 'Set one'])
      await page.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { name: 'Pages and share links', exact: true }).waitFor();
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(0);
  });

  it('Back leads out of the sign-in that one was sent to, and not into it once one is signed in', async () => {
    const { page, context } = visited;
    await visit(page, '/team');
    await context.clearCookies();
    await page.goto('/orders');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(shop.email);
    await page.locator('input[type=password]').fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
  });

  it('a wrong password is told where it was typed in', async () => {
    const { page } = visited;
    await visit(page, '/settings');
    await page.getByRole('textbox', { name: 'Current password' }).fill('not this one');
    await page.getByRole('textbox', { name: 'New password' }).fill('a password for later');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This password is not right.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  const publish = async (page: Page) => {
    // A tab behind another one draws nothing, and what is not drawn cannot be clicked.
    await page.bringToFront();
    await page.getByRole('button', { name: /^Publish version/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Publish version/ });
    await dialog.getByRole('button', { name: /^Publish version/ }).click();
    return dialog;
  };

  it('A rule that another tab published meanwhile is shown, and one publishes one’s own edits on top of it', async () => {
    const { page, context } = visited;
    const beside = await context.newPage();
    const least = (of: Page) => of.getByRole('textbox', { name: 'Least amount paid' });
    const budget = (of: Page) => of.getByRole('textbox', { name: 'Budget' });
    await visit(beside, '/program');
    await page.bringToFront();
    await visit(page, '/program');
    await budget(page).fill('777000');
    await beside.bringToFront();
    await least(beside).fill('5000');
    await publish(beside);
    await beside.getByText('Version 2 is published').waitFor();
    const dialog = await publish(page);
    await dialog.getByText('Nothing was saved').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Version 2 was published while you were editing').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Least amount paid: KRW 0 → KRW 5,000' }).waitFor();
    expect([await least(page).inputValue(), await budget(page).inputValue()]).toEqual(['5,000', '777,000']);
    await publish(page);
    await page.getByText('Version 3 is published').waitFor();
    const { rule } = await site.flow.database.programVersion.findUniqueOrThrow({
      where: { merchantId_version: { merchantId: shop.merchant.id, version: 3 } },
    });
    expect(rule).toMatchObject({ minimumPaidAmount: 5_000, budget: 777_000 });
    expect(await page.getByText('was published while you were editing').count()).toBe(0);
    await beside.close();
  });

  it('Settings that somebody else saves while one edits others are taken over and shown', async () => {
    const { page } = visited;
    const created = await shop.browser.post('/webhooks', {
      url: 'https://hooks.example.com/a',
      event_types: ['reward.issue'],
    });
    const { id } = created.data as { id: string };
    await visit(page, `/webhooks/${id}`);
    await page.getByRole('checkbox', { name: 'reward.revoke' }).check();
    await shop.browser.send('PATCH', `/webhooks/${id}`, { url: 'https://hooks.example.com/b' });
    await page.getByText('Somebody else saved changes while you were editing').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved').waitFor();
    expect((await shop.browser.get(`/webhooks/${id}`)).data).toMatchObject({
      url: 'https://hooks.example.com/b',
      event_types: ['reward.issue', 'reward.revoke'],
    });
  });

  it('A page with unsaved changes is left by a link, by Back, by a sign-out or by a reload only after it has asked', async () => {
    const { page } = visited;
    await visit(page, '/orders');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    const name = page.getByRole('textbox', { name: 'Name of the shop' });
    await name.fill('Half typed');
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    const ways = [
      () => page.getByRole('link', { name: 'Rewards', exact: true }).click(),
      () => page.evaluate('void history.back()'),
      () => page.getByRole('button', { name: 'Sign out' }).click(),
    ];
    for (const go of ways) {
      await go();
      await asked.getByRole('button', { name: 'Keep editing' }).click();
      await asked.waitFor({ state: 'detached' });
      expect([new URL(page.url()).pathname, await name.inputValue()]).toEqual(['/settings', 'Half typed']);
    }
    const prompts: string[] = [];
    page.once('dialog', (dialog) => {
      prompts.push(dialog.type());
      void dialog.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    await waitFor(() => prompts.length > 0, { what: 'a question of the browser' });
    expect(prompts).toEqual(['beforeunload']);
    expect(await name.inputValue()).toBe('Half typed');
    await page.evaluate('void history.back()');
    await asked.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    expect(await name.inputValue()).toBe('Tea shop');
  });

  it('A session that ends takes nothing away that was typed in and not saved', async () => {
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

  it('calendars have no serious finding of axe', async () => {
    const { page } = visited;
    await visit(page, '/rewards');
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByRole('dialog', { name: 'Any time' }).getByRole('button', { name: 'Next' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
