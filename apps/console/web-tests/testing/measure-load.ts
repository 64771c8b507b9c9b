import { gzipSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';
import { visit } from './sign-in.ts';

/** The files of the page that a browser requests, by their names without the hash. */
export function followFiles(page: Page): Map<string, Request> {
  const files = new Map<string, Request>();
  page.on('request', (request) => {
    const [, name] = /\/assets\/(.+)-[\w-]{8}\.(?:js|css)$/.exec(request.url()) ?? [];
    if (name !== undefined) files.set(`${request.resourceType()} ${name}`, request);
  });
  return files;
}

/** The gzipped bytes of a page that is opened without a cache, until it is complete. The typeface is requested after its heading. */
export async function measureLoad(page: Page, path: string): Promise<{ script: number; stylesheet: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  // Ends what the page before requests when it is idle.
  await page.goto('about:blank');
  const files = followFiles(page);
  await visit(page, path);
  files.delete('stylesheet typeface');
  const loaded = [...files.values()];
  const bytes = { script: 0, stylesheet: 0 };
  for (const request of loaded) {
    const body = await (await request.response())?.body();
    if (!body) throw new Error(`${request.url()} has no answer`);
    bytes[request.resourceType() as keyof typeof bytes] += gzipSync(body).length;
  }
  page.removeAllListeners('request');
  await session.detach();
  return bytes;
}

/** When a page that is opened over a slow connection shows something, and its heading: in ms. */
export async function measurePaint(page: Page, path: string): Promise<{ first: number; heading: number }> {
  const session = await page.context().newCDPSession(page);
  const bytesPerSecond = 400_000 / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator('h1').waitFor();
  const heading = await page.evaluate<number>('performance.now()');
  const first = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  await session.detach();
  return { first, heading };
}
