import type { BrowserContext, Page } from 'playwright-core';
import { goodPassword } from '../../testing/open-console.ts';

/** Signs in through the form of the page, which opens the start page of the role. */
export async function signIn(page: Page, email: string, start = '/'): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: /Email|이메일/ }).fill(email);
  await page.locator('input[type=password]').fill(goodPassword);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => url.pathname === start);
}

/** Signs a browser context in through the API, for tests that are not about the form. */
export async function signInByApi(context: BrowserContext, email: string): Promise<void> {
  const response = await context.request.post('/api/console/sign-in', {
    data: { email, password: goodPassword },
    headers: { 'x-rewardhook-console': '1', 'sec-fetch-site': 'same-origin' },
  });
  if (!response.ok()) throw new Error(`not signed in: ${response.status()} ${await response.text()}`);
}

/** Opens a page and waits until it has finished loading. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').waitFor();
  // `waitForFunction` is blocked by the content security policy. `first()` is one that is still there, until none is.
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' });
}
