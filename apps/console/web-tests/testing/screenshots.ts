import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { startTestServers } from '@rewardhook/testing/servers';
import { fillMerchant } from './fill-merchant.ts';
import { openSite } from './open-site.ts';
import { detailPaths, authPaths, listPaths } from './page-paths.ts';
import { signIn, visit } from './sign-in.ts';

// Writes pictures of every page to apps/console/screenshots: both themes, wide and narrow, with and without data.
// Arguments: names of pages, to limit it to these. `readme` writes the two pictures of README.md to docs/pictures.
const wanted = process.argv.slice(2);
const folder = join(projectRoot, 'apps/console/screenshots');
mkdirSync(folder, { recursive: true });
const pictures = join(projectRoot, 'docs/pictures');

const variants = [
  { name: 'light', colorScheme: 'light', locale: 'en-US', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', locale: 'ko-KR', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', locale: 'ko-KR', viewport: { width: 360, height: 780 } },
  { name: 'phone-dark', colorScheme: 'dark', locale: 'en-US', viewport: { width: 360, height: 780 } },
] as const;

const servers = await startTestServers();
process.env['TEST_DATABASE_URL'] = servers.databaseUrl;
process.env['TEST_RUN_FOLDER'] = servers.folder;
process.env['TEST_REDIS_URL'] = servers.redisUrl;
const site = await openSite();
try {
  const full = await site.running.signUp('달빛 티하우스');
  const empty = await site.running.signUp('New shop');
  const filled = await fillMerchant(site, full);
  const pick = (paths: Record<string, string>) =>
    Object.entries(paths).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  for (const { name: variant, ...options } of variants) {
    const shoot = async (email: string | undefined, paths: [string, string][], suffix = '') => {
      if (paths.length === 0) return;
      const { page, context, pageErrors } = await site.open({ ...options, reducedMotion: 'reduce' });
      if (email) await signIn(page, email);
      for (const [name, path] of paths) {
        await page.setViewportSize(options.viewport);
        await visit(page, path);
        // Not `fullPage`: it shrinks the window to nothing first, and elements that follow its width are caught midway.
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        await page.setViewportSize({ ...options.viewport, height });
        await page.screenshot({ path: join(folder, `${name}${suffix}.${variant}.png`) });
      }
      for (const error of pageErrors) console.error(`${variant}: ${error}`);
      await context.close();
    };
    await shoot(undefined, pick(authPaths));
    await shoot(full.email, [...pick(listPaths), ...pick(detailPaths(filled))]);
    if (variant === 'light' || variant === 'phone-light') await shoot(empty.email, pick(listPaths), '-empty');
  }
  if (wanted.length === 0 || wanted.includes('readme')) {
    mkdirSync(pictures, { recursive: true });
    const [options] = variants;
    const { page, context } = await site.open({ ...options, reducedMotion: 'reduce' });
    await signIn(page, full.email);
    const { order = '' } = detailPaths(filled);
    for (const [name, path, height] of [
      ['home', '/', 1_180],
      ['order', order, 760],
    ] as const) {
      await page.setViewportSize({ width: 1_200, height });
      await visit(page, path);
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    }
    await context.close();
  }
} finally {
  await site.close();
  await servers.stop();
}
