import { buildOrder } from '@rewardhook/testing';
import { fillShop } from './testing/fill-shop.ts';
import type { FilledShop } from './testing/fill-shop.ts';
import type { SignedUp } from '../testing/open-console.ts';
import { bringAxe, seriousFindings } from './testing/axe.ts';
import { firstLoadBytes } from './testing/first-load.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { detailPaths, doorPaths, listPaths } from './testing/page-paths.ts';
import { beSignedIn, visit } from './testing/sign-in.ts';

describe("the console's pages in Chromium", () => {
  let site: Site;
  let full: SignedUp;
  let empty: SignedUp;
  let shop: FilledShop;

  beforeAll(async () => {
    site = await openSite();
    full = await site.running.signUp('Tea shop');
    empty = await site.running.signUp('New shop');
    shop = await fillShop(site, full);
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
      await bringAxe(context);
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
      if (withData) await look(doorPaths);
      await beSignedIn(context, withData ? full.email : empty.email);
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
    await beSignedIn(context, full.email);
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
    await beSignedIn(context, bakery.email);
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

  it('say what to do when a part of them cannot be loaded', async () => {
    const { page, context } = await site.open(desk);
    await beSignedIn(context, full.email);
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
    await beSignedIn(context, full.email);
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
