import { buildOrder } from '@rewardhook/testing';
import type { SignedUpMerchant } from '../testing/open-console.ts';
import { injectAxe, seriousFindings } from './testing/axe.ts';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { signInByApi, visit } from './testing/sign-in.ts';

describe('The page of an order', () => {
  let site: Site;
  let shop: SignedUpMerchant;
  beforeAll(async () => {
    site = await openSite();
    shop = await site.running.signUp('Tea shop');
    await site.flow.link(shop.merchant, 'ann', 'bob');
    await site.flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'tea', member_id: 'bob' }));
  }, 300_000);
  afterAll(() => site.close());

  it('gives, adjusts and revokes rewards by hand, each with its reason in the timeline', async () => {
    const { page, context, pageErrors } = await site.open({ reducedMotion: 'reduce' });
    await injectAxe(context);
    await signInByApi(context, shop.email);
    await visit(page, '/orders/tea');
    const rewards = page.getByRole('region', { name: 'Rewards' });
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const dialog = page.getByRole('dialog');
    const row = (text: RegExp) => rewards.getByRole('row', { name: text });

    await row(/Confirmed.*Referee.*3,000/)
      .getByRole('button', { name: 'Adjust' })
      .click();
    await dialog.getByLabel('New amount').fill('500');
    await dialog.getByLabel('Reason').fill('Half was refunded in cash');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Adjust' }).click();
    await row(/Confirmed.*Referee.*500.*Adjusted/).waitFor();
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
});
