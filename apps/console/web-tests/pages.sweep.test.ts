import { buildOrder, findLink } from '@rewardhook/testing';
import { fillMerchant } from './testing/fill-merchant.ts';
import type { FilledMerchant } from './testing/fill-merchant.ts';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { firstLoadBytes } from './testing/first-load.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { detailPaths, authPaths, listPaths } from './testing/page-paths.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe("the console's pages in Chromium", () => {
  let site: Site;
  let full: SignedUpMerchant;
  let empty: SignedUpMerchant;
  let shop: FilledMerchant;

  beforeAll(async () => {
    site = await openSite();
    full = await site.running.signUp('Tea shop');
    empty = await site.running.signUp('New shop');
    shop = await fillMerchant(site, full);
  }, 300_000);
  afterAll(() => site.close());

  const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const phone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const;
  const desk = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
  const looks = [
    ['with data, light, on a phone, in Korean', { ...phone, locale: 'ko-KR', colorScheme: 'light' }, true],
    ['with data, dark, in English', { ...desk, locale: 'en-US', colorScheme: 'dark' }, true],
    ['without data, light, in English', { ...desk, locale: 'en-US', colorScheme: 'light' }, false],
  ] as const;

  it.each(looks)(
    'have no serious finding of axe, keep to their policy and do not scroll sideways: %s',
    async (_look, options, withData) => {
      const { page, context, complaints } = await site.open(options);
      await injectAxe(context);
      const wrong: Record<string, string[]> = {};
      const look = async (paths: Record<string, string>) => {
        for (const [name, path] of Object.entries(paths)) {
          await visit(page, path);
          const findings = await seriousFindings(page);
          const wide = await page.evaluate<number>(tooWide);
          if (wide > 0) findings.push(`${wide} px too wide`);
          if (findings.length > 0) wrong[name] = findings;
        }
      };
      if (withData) await look(authPaths);
      await signInByApi(context, withData ? full.email : empty.email);
      await look({ ...listPaths, ...(withData ? detailPaths(shop) : {}) });
      expect(wrong).toEqual({});
      expect(complaints).toEqual([]);
      await context.close();
    },
    180_000,
  );

  it('Latency is drawn with a gap where nothing was sent, and the table says in words that there is no data', async () => {
    const { database } = site.flow;
    await database.$executeRaw`
      UPDATE attempts SET started_at = now() - interval '5 hours' WHERE delivery_id IN (
        SELECT delivery_id FROM attempts WHERE merchant_id = ${full.merchant.id} ORDER BY started_at LIMIT 3)`;
    const { page, context } = await site.open({ ...desk, locale: 'ko-KR' });
    await signInByApi(context, full.email);
    await visit(page, '/?range=day');
    const line = await page.locator('path.recharts-line-curve').first().getAttribute('d');
    expect(line?.match(/M/g)).toHaveLength(2);
    const hours = page.getByRole('table', { name: '웹훅 응답 시간' }).getByRole('row');
    expect(await hours.filter({ hasText: '데이터 없음' }).count()).toBe(22);
    await context.close();
  });

  it("An order's page leads with what was decided, marks what today would come to, and says both in Korean", async () => {
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
    const { page, context, complaints } = await site.open({ ...phone, locale: 'ko-KR' });
    await signInByApi(context, bakery.email);
    await visit(page, '/orders/next');
    const panel = page.getByRole('region', { name: '판정' });
    const text = (await panel.textContent()) ?? '';
    expect(text).toContain('프로그램 버전 1 기준으로 판정한 결과입니다.');
    expect(text).toMatch(/첫 주문 아님.*이전 결제 주문: first.*first_order: false.*불통과/);
    expect(text).toMatch(/현재 프로그램\(버전 2\) 기준으로 다시 평가하면: 최소 금액 미달/);
    expect(text).toContain(`피추천인 2 ${unit} 보상을 받습니다: 결제 금액 30,000원 이상`);
    await visit(page, '/orders');
    await page.getByRole('row', { name: /next/ }).getByText('첫 주문 아님').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('set a forgotten password by the link of the operator', async () => {
    const { email } = await site.running.signUp();
    const { link } = await site.flow.admin('user reset-password', { email });
    const { page, context, complaints } = await site.open(desk);
    await visit(page, new URL(String(link)).pathname);
    await page.locator('input[type=password]').fill('a password that I remember');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The password is set.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lead who is signed in on to the console, and say so where a link is for somebody else', async () => {
    const [owner, guest] = [await site.running.signUp(), await site.running.signUp()];
    const { link } = await site.flow.admin('user reset-password', { email: guest.email });
    const { page, context, complaints } = await site.open(desk);
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
    await page.getByRole('button', { name: 'Set the password' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('reset a forgotten password by mail', async () => {
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

  it('ask whether the keys of a team member are revoked when they are removed', async () => {
    const owner = await site.running.signUp();
    const guest = await site.running.signUp();
    const { database } = site.flow;
    const { id: userId } = await database.user.findUniqueOrThrow({ where: { email: guest.email } });
    const merchantId = owner.merchant.id;
    await database.membership.create({ data: { merchantId, userId, role: 'developer' } });
    await guest.browser.post('/session/merchant', { merchant_id: merchantId });
    await guest.browser.post('/credentials/api-keys', { kind: 'secret', name: 'Laptop' });
    const { page, context, complaints } = await site.open(desk);
    await signInByApi(context, owner.email);
    await visit(page, '/team');
    await page.getByRole('combobox', { name: `Role of ${guest.email}` }).selectOption('viewer');
    await page.getByRole('dialog').getByText('Revoke the API key that they created (1)').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: guest.email }).getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Revoke the API key that they created (1)').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed from the team').waitFor();
    await visit(page, '/credentials');
    const row = page.getByRole('row', { name: 'Laptop' });
    expect(await row.innerText()).toContain(guest.email);
    await row.getByText('Revoked').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('say what to do when a part of them cannot be loaded', async () => {
    const { page, context } = await site.open(desk);
    await signInByApi(context, full.email);
    await page.route(/\/assets\/orders-.*\.js/, (route) => route.abort());
    await page.goto('/orders');
    await page.getByRole('alert').getByRole('button', { name: 'Load anew' }).waitFor();
    await page.unroute(/\/assets\/orders-.*\.js/);
    await page.getByRole('button', { name: 'Load anew' }).click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await context.close();
  });

  it('load less than 250 kB of script first', () => {
    const sizes = firstLoadBytes(site.pageFolder, 'ko');
    expect(sizes.length).toBeGreaterThan(15);
    expect(sizes.filter(([, bytes]) => bytes >= 250_000)).toEqual([]);
  });

  it('open by keyboard alone, and give the focus to the heading of the page one goes to', async () => {
    const { page, context } = await site.open(desk);
    await signInByApi(context, full.email);
    await visit(page, '/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    const orders = page.getByRole('navigation').getByRole('link', { name: 'Orders' });
    await orders.focus();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Orders' }).waitFor();
    expect(await orders.getAttribute('aria-current')).toBe('page');
    await context.close();
  });
});
