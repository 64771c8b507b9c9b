import type { BrowserContext, Page } from 'playwright-core';
import { goodPassword } from '../../testing/open-console.ts';

/** Signs in through the page's own form. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: /E-mail|이메일/ }).fill(email);
  await page.locator('input[type=password]').fill(goodPassword);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => url.pathname === '/');
}

/** Signs a browser window in without its form: for tests of what comes after it. */
export async function signInByApi(context: BrowserContext, email: string): Promise<void> {
  const answer = await context.request.post('/api/console/sign-in', {
    data: { email, password: goodPassword },
    headers: { 'x-rewardhook-console': '1', 'sec-fetch-site': 'same-origin' },
  });
  if (!answer.ok()) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`);
}

/** Opens a page and waits until it stands still: nothing loads any more. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').waitFor();
  // The policy of the page allows no evaluated text, so this is asked by locators. The first one is always one that is left.
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' });
}
