import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing/servers';
import { freePort } from '@rewardhook/testing';
import { openCleanup } from '../../../../tests/harness/cleanup.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import { buildPage } from './build-page.ts';

/** The running service with its console, and a browser. */
export interface Site {
  flow: Flow;
  running: RunningConsole;
  browser: Browser;
  /** Folder of the built page. */
  pageFolder: string;
  /** Opens a browser context of its own. */
  open(options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Script errors, and what the content security policy blocked. */
  pageErrors: string[];
}

/** Starts everything in this process, with the production build of the page. */
export async function openSite(): Promise<Site> {
  const cleanup = openCleanup();
  const [flow, port, pageFolder] = await Promise.all([startFlow(), freePort(), buildPage()]);
  cleanup.add(() => flow.close());
  const settings = {
    CONSOLE_PORT: port,
    CONSOLE_PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const running = await openConsole(flow.environment, settings, { pageFolder });
  cleanup.add(() => running.close());
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  cleanup.add(() => browser.close());
  return {
    flow,
    running,
    browser,
    pageFolder,
    async open(options = {}) {
      const context = await browser.newContext({ baseURL: running.url, locale: 'en-US', ...options });
      // Shorter than the timeout of a test, so that the step that hangs is named.
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      const pageErrors: string[] = [];
      page.on('pageerror', (error) => pageErrors.push(error.message));
      page.on('console', (message) => {
        // Chromium logs responses such as 401 itself.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          pageErrors.push(message.text());
      });
      return { context, page, pageErrors };
    },
    close: () => cleanup.run(),
  };
}
