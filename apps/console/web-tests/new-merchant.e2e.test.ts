import { createHmac } from 'node:crypto';
import { goodPassword } from '../testing/open-console.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import { buildOrder, startReceiver } from '@rewardhook/testing';
import { findLink } from '@rewardhook/testing/mail';
import { openSite } from './testing/open-site.ts';
import type { Site } from './testing/open-site.ts';
import { signIn } from './testing/sign-in.ts';

describe('A new merchant', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterAll(() => site.close());

  it('A new merchant signs up, sends an order, registers a webhook and verifies a signature', async () => {
    const { page, context, pageErrors } = await site.open({ viewport: { width: 1280, height: 900 } });
    const receiver = await startReceiver();
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('New.Owner@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.goto(findLink(await site.running.mail.waitFor('new.owner@example.com')));
    // The keyboard of a phone appends a space to a suggested word.
    await page.getByRole('textbox', { name: 'Shop name' }).fill('Tea house ');
    await page.locator('input[type=password]').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('12 to 256 characters.').nth(1).waitFor();
    await page.locator('input[type=password]').fill('passwordpassword');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Do not repeat the same characters or words.').waitFor();
    await page.locator('input[type=password]').fill(goodPassword);
    await page.getByRole('button', { name: 'Create account' }).click();

    const continueButton = page.getByRole('button', { name: 'Go to the console' });
    await continueButton.waitFor();
    expect(await continueButton.isDisabled()).toBe(true);
    const file = await page.getByRole('region', { name: 'rewardhook.env' }).innerText();
    const [secretKey = '', signingSecret = ''] = ['SECRET_KEY', 'SIGNING_SECRET'].map(
      (name) => new RegExp(`^REWARDHOOK_${name}=(\\S+)$`, 'm').exec(file)?.[1],
    );
    expect(secretKey).toMatch(/^svc_sk_test_/);
    await page.getByLabel('I have stored the key').check();
    await continueButton.click();
    await page.getByText('0 of 4 steps completed').waitFor();
    await page.getByText('Test mode.').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(secretKey);

    await site.flow.link(
      { id: '', publicKey: '', identitySecret: '', signingSecret, secretKey },
      'ann',
      'bob',
    );
    const order = buildOrder({ order_id: 'no/1 100%', member_id: 'bob' });
    const answer = await site.flow.call(syncPath, { orders: [order] }, { key: secretKey });
    expect(answer.status).toBe(202);
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('link', { name: 'no/1 100%' }).click();
    await page.getByText('This order earned a reward.').waitFor();

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('button', { name: 'Register webhook' }).first().click();
    await page.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/hook`);
    await page.getByRole('dialog').getByRole('button', { name: 'Register webhook' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('HTTP 204').first().waitFor();
    const ping = await receiver.waitFor(({ event }) => event === 'webhook.ping');
    const { rawBody, headers: sent } = ping;
    const { 'x-service-signature': signature } = sent;
    expect(`sha256=${createHmac('sha256', signingSecret).update(rawBody).digest('hex')}`).toBe(signature);

    await page.getByRole('link', { name: 'Signature checker' }).click();
    const headers = Object.entries(ping.headers).map(([name, value]) => `${name}: ${String(value)}`);
    await page.getByRole('textbox', { name: 'Headers' }).fill(headers.join('\n'));
    await page.getByRole('textbox', { name: 'Raw body' }).fill(ping.rawBody.toString());
    await page.getByRole('button', { name: 'Check signature' }).click();
    await page.getByText('The signature is valid').waitFor();
    await page.getByRole('textbox', { name: 'Raw body' }).fill(`${ping.rawBody.toString()}\n`);
    await page.getByRole('button', { name: 'Check signature' }).click();
    await page.getByText('Line break or spaces', { exact: true }).first().waitFor();

    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Get started').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
    await receiver.close();
  }, 120_000);

  it('A URL that only the server rejects is explained in Korean', async () => {
    const { email } = await site.running.signUp();
    const { page, context } = await site.open({ locale: 'ko-KR' });
    await signIn(page, email);
    await page.goto('/webhooks?new=1');
    await page.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/hook');
    await page.getByRole('dialog').getByRole('button', { name: '웹훅 등록' }).click();
    await page.getByText('https://로 시작해야 합니다.').waitFor();
    await context.close();
  });

  it('A sign-in leads to the requested page of the console, and never to another site', async () => {
    const { email } = await site.running.signUp();
    for (const [next, arrives] of [
      ['%2Fdeliveries%3Fprogress%3Dfailed', '/deliveries?progress=failed'],
      ['%2F%2Fevil.example%2F', '/'],
    ]) {
      const { page, context } = await site.open();
      await page.goto(`/sign-in?next=${next}`);
      await page.getByRole('textbox', { name: 'Email' }).fill(email);
      await page.locator('input[type=password]').fill(goodPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${site.running.url}${arrives}`);
      await context.close();
    }
  });
});
