import axe from 'axe-core';
import type { Result } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** Injects axe into every page of a browser context. Works despite the content security policy. */
export async function injectAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** Serious and critical findings of axe on the current page: the rule and the elements. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const violations = await page.evaluate<Result[]>(
    `axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      resultTypes: ['violations'],
    }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
}
