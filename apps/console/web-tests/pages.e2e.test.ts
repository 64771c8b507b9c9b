import { buildOrder } from '@rewardhook/testing';
import { findLink } from '@rewardhook/testing/mail';
import { fillMerchant } from './testing/fill-merchant.ts';
import type { FilledMerchant } from './testing/fill-merchant.ts';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { firstLoadBytes } from './testing/first-load.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { detailPaths, authPaths, listPaths } from './testing/page-paths.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe('The pages of the console in Chromium', () => {
  let site: Site;
  let full: SignedUpMerchant;
  let empty: SignedUpMerchant;
  let filled: FilledMerchant;

  beforeAll(async () => {
    site = await openSite();
    full = await site.running.signUp('Tea shop');
    empty = await site.running.signUp('New shop');
    filled = await fillMerchant(site, full);
  }, 300_000);
  afterAll(() => site.close());

  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const phone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const;
  const desk = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
  const variants = [
    ['with data, light, on a phone, in Korean', { ...phone, locale: 'ko-KR', colorScheme: 'light' }, true],
    ['with data, dark, in English', { ...desk, locale: 'en-US', colorScheme: 'dark' }, true],
    ['without data, light, in English', { ...desk, locale: 'en-US', colorScheme: 'light' }, false],
  ] as const;

  it.each(variants)(
    'Pages have no serious accessibility finding, comply with the content security policy and do not scroll sideways: %s',
    async (_variant, options, withData) => {
      const { page, context, pageErrors } = await site.open(options);
      await injectAxe(context);
      const wrong: Record<string, string[]> = {};
      const check = async (paths: Record<string, string>) => {
        for (const [name, path] of Object.entries(paths)) {
          await visit(page, path);
          const findings = await seriousFindings(page);
          const wide = await page.evaluate<number>(overflow);
          if (wide > 0) findings.push(`${wide} px too wide`);
          if (findings.length > 0) wrong[name] = findings;
        }
      };
      if (withData) await check(authPaths);
      await signInByApi(context, withData ? full.email : empty.email);
      await check({ ...listPaths, ...(withData ? detailPaths(filled) : {}) });
      expect(wrong).toEqual({});
      expect(pageErrors).toEqual([]);
      await context.close();
    },
    180_000,
  );

  it('The latency plot has a gap where nothing was sent, and its table shows that there is no data', async () => {
    const { database } = site.flow;
    // Attempts in two hours only, also when the tests run across the end of an hour.
    await database.$executeRaw`
      UPDATE attempts SET started_at = CASE WHEN delivery_id IN (
          SELECT delivery_id FROM attempts WHERE merchant_id = ${full.merchant.id} ORDER BY started_at LIMIT 3)
        THEN now() - interval '5 hours' ELSE now() END
      WHERE merchant_id = ${full.merchant.id}`;
    const { page, context } = await site.open({ ...desk, locale: 'ko-KR' });
    await signInByApi(context, full.email);
    await visit(page, '/?range=day');
    const line = await page.locator('path.recharts-line-curve').first().getAttribute('d');
    expect(line?.match(/M/g)).toHaveLength(2);
    const hours = page.getByRole('table', { name: '웹훅 응답 시간' }).getByRole('row');
    expect(await hours.filter({ hasText: '데이터 없음' }).count()).toBe(22);
    await context.close();
  });

  it('The page of an order shows the stored decision first and then the decision of today, in Korean', async () => {
    const bakery = await site.running.signUp('Bakery');
    await site.flow.link(bakery.merchant, 'ann', 'bob');
    const date = '2026-03-01T00:00:00Z';
    await site.flow.syncAndSettle(
      bakery.merchant,
      buildOrder({ member_id: 'bob', order_id: 'first', order_date: date }),
      buildOrder({ member_id: 'bob', order_id: 'next', paid_amount: 20_000 }),
    );
    const unit = 'bread and butter';
    await bakery.browser.post('/program', {
      base_version: 1,
      rule: {
        trigger: 'every_order',
        referee: { type: 'coupon', unit, amount: { kind: 'fixed', value: 2 } },
        referrer: null,
        minimumPaidAmount: 30_000,
      },
    });
    const { page, context, pageErrors } = await site.open({ ...phone, locale: 'ko-KR' });
    await signInByApi(context, bakery.email);
    await visit(page, '/orders/next');
    const panel = page.getByRole('region', { name: '보상 판정' });
    const text = (await panel.textContent()) ?? '';
    expect(text).toContain('프로그램 버전 1 기준으로 판정했습니다.');
    expect(text).toMatch(/첫 주문 아님.*이전 결제 주문: first.*첫 주문으로 표시하지 않음.*미충족/);
    expect(text).toMatch(/현재 프로그램\(버전 2\) 기준으로는: 최소 금액 미달/);
    expect(text).toContain(`피추천인 2 ${unit} 보상을 받습니다: 결제 금액 30,000원 이상`);
    await visit(page, '/orders');
    await page.getByRole('row', { name: /next/ }).getByText('첫 주문 아님').waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('A forgotten password is reset through the link of the operator', async () => {
    const { email } = await site.running.signUp();
    const { link } = await site.flow.admin('user reset-password', { email });
    const { page, context, pageErrors } = await site.open(desk);
    await visit(page, new URL(String(link)).pathname);
    await page.locator('input[type=password]').fill('a password that I remember');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password set.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('Sign-in pages redirect a signed-in user to the console, and a link for another user shows a notice', async () => {
    const [owner, guest] = [await site.running.signUp(), await site.running.signUp()];
    const { link } = await site.flow.admin('user reset-password', { email: guest.email });
    const { page, context, pageErrors } = await site.open(desk);
    await signInByApi(context, owner.email);
    for (const path of ['/sign-in', '/sign-up', '/forgot-password']) {
      await page.goto(path);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
    }
    // As a reload of "Your keys" does.
    await visit(page, '/first-keys');
    await page.getByText('cannot be shown again').waitFor();
    await visit(page, '/invitations/nobody');
    await page.getByRole('link', { name: 'Go to the console' }).waitFor();
    await visit(page, new URL(String(link)).pathname);
    await page.getByText(`You are signed in as ${owner.email}.`).waitFor();
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    await page.getByRole('button', { name: 'Set password' }).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('A forgotten password is reset by email', async () => {
    const { email } = await site.running.signUp();
    const { page, context } = await site.open({ ...desk, locale: 'ko-KR' });
    await visit(page, '/sign-in');
    await page.getByRole('link', { name: '비밀번호 재설정' }).click();
    await page.getByRole('textbox', { name: '이메일' }).fill(email);
    await page.getByRole('button', { name: '링크 보내기' }).click();
    await page.getByRole('heading', { name: '메일을 확인해 주세요' }).waitFor();
    await visit(page, findLink(await site.running.mail.waitFor(email, 2)));
    await page.locator('input[type=password]').fill('a password that I remember');
    await page.getByRole('button', { name: '비밀번호 설정' }).click();
    await page.getByRole('heading', { name: '로그인' }).waitFor();
    await context.close();
  });

  it('Removing a team member offers to revoke the API keys that they created', async () => {
    const owner = await site.running.signUp();
    const guest = await site.running.signUp();
    const { database } = site.flow;
    const { id: userId } = await database.user.findUniqueOrThrow({ where: { email: guest.email } });
    const merchantId = owner.merchant.id;
    await database.membership.create({ data: { merchantId, userId, role: 'developer' } });
    await guest.browser.post('/session/merchant', { merchant_id: merchantId });
    await guest.browser.post('/credentials/api-keys', { kind: 'secret', name: 'Laptop' });
    const { page, context, pageErrors } = await site.open(desk);
    await signInByApi(context, owner.email);
    await visit(page, '/team');
    await page.getByRole('combobox', { name: `Role of ${guest.email}` }).selectOption('viewer');
    await page.getByRole('dialog').getByText('Also revoke the API key that they created (1)').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: guest.email }).getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Also revoke the API key that they created (1)').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Member removed').waitFor();
    await visit(page, '/credentials');
    const row = page.getByRole('row', { name: 'Laptop' });
    expect(await row.innerText()).toContain(guest.email);
    await row.getByText('Revoked').waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('An owner replaces the identity secret, and the page shows the new one and until when the former one is accepted', async () => {
    const owner = await site.running.signUp('Replacing shop');
    const { page, context, pageErrors } = await site.open(desk);
    await signInByApi(context, owner.email);
    await visit(page, '/credentials');
    const section = page.getByRole('region', { name: 'Identity secret' });
    await section.getByRole('button', { name: 'Reveal secret' }).click();
    await section.getByText(owner.merchant.identitySecret).waitFor();
    await section.getByRole('button', { name: 'Replace secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Overlap (hours)').fill('');
    await dialog.getByRole('button', { name: 'Replace secret' }).click();
    await dialog.getByText('Enter a number of hours.').waitFor();
    await dialog.getByLabel('Overlap (hours)').fill('48');
    await dialog.getByRole('button', { name: 'Replace secret' }).click();
    await dialog.getByText('Put it on your server before the overlap ends.').waitFor();
    const [secret = ''] = (await dialog.innerText()).match(/ids_\w{43}/) ?? [];
    expect(secret).not.toBe(owner.merchant.identitySecret);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await section.getByText('A former secret is accepted until').waitFor();
    expect(await section.getByText(owner.merchant.identitySecret).count()).toBe(0);
    await section.getByRole('button', { name: 'Reveal secret' }).click();
    await section.getByText(secret).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('A page whose script cannot be loaded offers a reload', async () => {
    const { page, context } = await site.open(desk);
    await signInByApi(context, full.email);
    await page.route(/\/assets\/orders-.*\.js/, (route) => route.abort());
    await page.goto('/orders');
    await page.getByRole('alert').getByRole('button', { name: 'Reload' }).waitFor();
    await page.unroute(/\/assets\/orders-.*\.js/);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await context.close();
  });

  it('The first load of every page takes less than 250 kB of script, of the one with Swagger UI less than 700 kB', () => {
    const sizes = firstLoadBytes(site.pageFolder, 'ko');
    expect(sizes.length).toBeGreaterThan(15);
    const maxBytes = (page: string) => (page.endsWith('/api-reference.tsx') ? 700_000 : 250_000);
    expect(sizes.filter(([page, bytes]) => bytes >= maxBytes(page))).toEqual([]);
  });

  it('Pages can be opened by keyboard, and the heading of a new page receives the focus', async () => {
    const { page, context } = await site.open(desk);
    await signInByApi(context, full.email);
    await visit(page, '/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    const orders = page.getByRole('navigation').getByRole('link', { name: 'Orders' });
    await orders.focus();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Orders' }).waitFor();
    expect(await orders.getAttribute('aria-current')).toBe('page');
    await context.close();
  });
});
