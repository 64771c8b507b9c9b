import { buildOrder } from '@rewardhook/testing';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe('Corrections by people', () => {
  let site: Site;
  let shop: SignedUpMerchant;
  beforeAll(async () => {
    site = await openSite();
    shop = await site.running.signUp('Tea shop');
    await site.flow.link(shop.merchant, 'ann', 'bob');
    await site.flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'tea', member_id: 'bob' }));
  }, 300_000);
  afterAll(() => site.close());

  it('On the page of an order, rewards are given, adjusted and revoked by hand, each with its reason in the timeline', async () => {
    const { page, context, pageErrors } = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(context);
    await signInByApi(context, shop.email);
    await visit(page, '/orders/tea');
    const rewards = page.getByRole('region', { name: 'Rewards' });
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const dialog = page.getByRole('dialog');
    const row = (text: RegExp) => rewards.getByRole('row', { name: text });

    await row(/Confirmed.*Referred member.*3,000/)
      .getByRole('button', { name: 'Adjust' })
      .click();
    await dialog.getByLabel('New amount').fill('500');
    await dialog.getByLabel('Reason').fill('Half was refunded in cash');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Adjust' }).click();
    await row(/Confirmed.*Referred member.*500.*Adjusted/).waitFor();
    await timeline.getByText('Half was refunded in cash').waitFor();

    await row(/Confirmed.*Referrer/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('This field is required.').waitFor();
    await dialog.getByLabel('Reason').fill('Both are one household');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row(/Revoked.*Referrer.*Revoked/).waitFor();

    await rewards.getByRole('button', { name: 'Give reward' }).click();
    await dialog.getByLabel('Recipient').selectOption('Referrer');
    await dialog.getByLabel('Amount').fill('70');
    await dialog.getByLabel('Reason').fill('Promised on the phone');
    await dialog.getByRole('button', { name: 'Give reward' }).click();
    await row(/Confirmed.*Referrer.*70.*Given/).waitFor();
    await timeline.getByText('Promised on the phone').waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  }, 120_000);

  it('A large amount is repeated before it is sent, and another reward of a role is asked for with the sum', async () => {
    await site.flow.link(shop.merchant, 'ann', 'ben');
    await site.flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'pot', member_id: 'ben' }));
    const { page, context, pageErrors } = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(context);
    await signInByApi(context, shop.email);
    await visit(page, '/orders/pot');
    const rewards = page.getByRole('region', { name: 'Rewards' });
    const dialog = page.getByRole('dialog');
    const button = (name: string) => dialog.getByRole('button', { name, exact: true });

    await rewards.getByRole('button', { name: 'Give reward' }).click();
    await dialog.getByLabel('Amount').fill('2000000');
    await dialog.getByLabel('Reason').fill('Won the lottery');
    await button('Give reward').click();
    await button('Give 2,000,000 points').click();
    await dialog.getByText(/Enter 1,000,000 or less/).waitFor();

    await dialog.getByLabel('Amount').fill('100001');
    await button('Give reward').click();
    await dialog.getByText('The amount is 100,001 points.').waitFor();
    await button('Give 100,001 points').click();
    await dialog.getByText('With this one, they come to 103,001 points.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await rewards.getByRole('row', { name: /100,001/ }).count()).toBe(0);
    // The answer is lost on its way back. Sent again, it is the same request, and done once.
    const sent: unknown[] = [];
    await page.route('**/orders/pot/rewards', async (route) => {
      sent.push(route.request().postDataJSON());
      const response = await route.fetch();
      await (sent.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await button('Give another reward').click();
    await dialog.getByText(/server (?:is not|did not|could not)|unreachable|no response/i).waitFor();
    await button('Give another reward').click();
    await rewards.getByRole('row', { name: /Confirmed.*Referred member.*100,001.*Given/ }).waitFor();
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(await rewards.getByRole('row', { name: /100,001/ }).count()).toBe(1);

    await rewards
      .getByRole('row', { name: /Referred member.*100,001/ })
      .getByRole('button', { name: 'Adjust' })
      .click();
    await dialog.getByLabel('New amount').fill('100002');
    await dialog.getByLabel('Reason').fill('One more');
    await button('Adjust').click();
    await button('Adjust to 100,002 points').click();
    await rewards.getByRole('row', { name: /Confirmed.*Referred member.*100,002.*Adjusted/ }).waitFor();

    await visit(page, '/settings');
    await page.getByLabel('Limit of rewards by hand').fill('5000');
    await page.getByRole('region', { name: 'Shop' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await visit(page, '/activity');
    await page.getByText(/Limit of rewards by hand.*1000000.*5000/).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  }, 120_000);

  it('On the pages of a referral and a member, a link is moved and members are merged, after what changes was shown', async () => {
    await site.flow.link(shop.merchant, 'carol', 'dave');
    const { id } = await site.flow.database.referral.findFirstOrThrow({
      where: { merchantId: shop.merchant.id, refereeMemberId: 'dave' },
    });
    const { page, context, pageErrors } = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(context);
    await signInByApi(context, shop.email);
    const dialog = page.getByRole('dialog');

    await visit(page, `/referrals/${id}`);
    await page.getByRole('button', { name: 'Change referrer' }).click();
    await dialog.getByLabel('New referrer').fill('ann');
    await dialog.getByLabel('Reason').fill('The wrong code was typed in');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('no reward').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change referrer' }).click();
    await page.getByRole('row', { name: /ann.*carol.*The wrong code was typed in/ }).waitFor();

    await visit(page, '/members/carol');
    await page.getByRole('button', { name: 'Merge or rename' }).click();
    await dialog.getByLabel('ID of the surviving member').fill('caroline');
    await dialog.getByLabel('Reason').fill('A new login');
    await dialog.getByRole('button', { name: 'Show changes' }).click();
    await dialog.getByText('Orders that move').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Merge or rename' }).click();
    await page.getByRole('heading', { name: 'caroline' }).waitFor();
    await visit(page, '/members/carol');
    await page.getByRole('heading', { name: 'caroline' }).waitFor();
    await page.getByText('Former IDs').waitFor();

    await site.flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'cake', member_id: 'carol' }));
    await visit(page, '/orders/cake');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('carol → caroline · A new login').waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  }, 120_000);

  it('On the page of an order, its member gets a first referrer, and a search for few among many orders goes on where it ended', async () => {
    const order = buildOrder({ order_id: 'walk-in', member_id: 'wes', paid_at: null });
    await site.flow.syncAndSettle(shop.merchant, order);
    // Newer ones than all others.
    await site.flow.database.$executeRaw`
      INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount, order_date,
        first_order, paid_at, items, created_at)
      SELECT ${shop.merchant.id}, 'many-' || n, 1, 'many', 1, 1, 0, now(), false, now(), '[]', now() + n * interval '1 ms'
      FROM generate_series(1, 5000) n`;
    const { page, context, pageErrors } = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(context);
    await signInByApi(context, shop.email);
    await visit(page, '/orders');
    await page.getByLabel('State', { exact: true }).selectOption('Placed');
    await page.getByText('Nothing found so far').waitFor();
    await page.getByText(/^Searched back to /).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Search earlier' }).click();
    await page.getByRole('link', { name: 'walk-in', exact: true }).click();

    await page.getByRole('button', { name: 'This order came from …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Referrer/).fill('ann');
    expect(await dialog.getByLabel('Order that came from the referrer').inputValue()).toBe('walk-in');
    await dialog.getByLabel('Reason').fill('They called');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('no reward').first().waitFor();
    await dialog.getByRole('button', { name: 'Set referrer' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText(`They called · by ${shop.email}`).waitFor();
    await visit(page, '/members/wes');
    await page.getByRole('button', { name: 'Change referrer' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await context.close();
  }, 120_000);
});
