import type { Page } from 'playwright-core';
import { goodPassword } from '../../testing/open-console.ts';

/** Signs in through the page's own form. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: /E-mail|이메일/ }).fill(email);
  await page.locator('input[type=password]').fill(goodPassword);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => url.pathname === '/');
}

/** Opens a page and waits until it stands still: nothing loads any more. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').waitFor();
  // The policy of the page allows no evaluated text, so this is asked by locators. The first one is always one that is left.
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' });
}
