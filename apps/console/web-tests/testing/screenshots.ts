import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { startTestServers } from '@rewardhook/testing';
import { fillMerchant } from './fill-merchant.ts';
import { openSite } from './open-site.ts';
import { detailPaths, authPaths, listPaths } from './page-paths.ts';
import { signIn, visit } from './sign-in.ts';

// Writes every page in both themes, wide and narrow, with data and without, to apps/console/screenshots.
// Arguments: the names of the pages, where not all are wanted.
const wanted = process.argv.slice(2);
const folder = join(projectRoot, 'apps/console/screenshots');
mkdirSync(folder, { recursive: true });

const looks = [
  { name: 'light', colorScheme: 'light', locale: 'en-US', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', locale: 'ko-KR', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', locale: 'ko-KR', viewport: { width: 390, height: 844 } },
  { name: 'phone-dark', colorScheme: 'dark', locale: 'en-US', viewport: { width: 390, height: 844 } },
] as const;

const servers = await startTestServers();
process.env['TEST_DATABASE_URL'] = servers.databaseUrl;
process.env['TEST_RUN_FOLDER'] = servers.folder;
process.env['TEST_REDIS_URL'] = servers.redisUrl;
const site = await openSite();
try {
  const full = await site.running.signUp('달빛 티하우스');
  const empty = await site.running.signUp('New shop');
  const shop = await fillMerchant(site, full);
  const pick = (paths: Record<string, string>) =>
    Object.entries(paths).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  for (const { name: look, ...options } of looks) {
    const shoot = async (email: string | undefined, paths: [string, string][], suffix = '') => {
      const { page, context, complaints } = await site.open({ ...options, reducedMotion: 'reduce' });
      if (email) await signIn(page, email);
      for (const [name, path] of paths) {
        await page.setViewportSize(options.viewport);
        await visit(page, path);
        // Not `fullPage`: it shrinks the window to nothing first, and what follows its width is caught half way back.
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        await page.setViewportSize({ ...options.viewport, height });
        await page.screenshot({ path: join(folder, `${name}${suffix}.${look}.png`) });
      }
      for (const complaint of complaints) console.error(`${look}: ${complaint}`);
      await context.close();
    };
    await shoot(undefined, pick(authPaths));
    await shoot(full.email, [...pick(listPaths), ...pick(detailPaths(shop))]);
    if (look === 'light' || look === 'phone-light') await shoot(empty.email, pick(listPaths), '-empty');
  }
} finally {
  await site.close();
  await servers.stop();
}
