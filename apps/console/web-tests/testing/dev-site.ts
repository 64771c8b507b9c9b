import { writeFileSync } from 'node:fs';
import { startTestServers } from '../../../../packages/testing/src/jest/test-servers.ts';
import { fillShop } from './fill-shop.ts';
import { openSite } from './open-site.ts';
const servers = await startTestServers();
process.env['TEST_DATABASE_URL'] = servers.databaseUrl;
process.env['TEST_REDIS_URL'] = servers.redisUrl;
const site = await openSite();
const full = await site.running.signUp('달빛 티하우스');
const empty = await site.running.signUp('New shop');
const shop = await fillShop(site, full);
const { receiver: _r, ...ids } = shop;
writeFileSync(
  '/tmp/console-dev/site.json',
  JSON.stringify({
    url: site.running.url,
    folder: site.pageFolder,
    full: full.email,
    empty: empty.email,
    ids,
  }),
);
console.log('up');
process.once(
  'SIGTERM',
  () =>
    void site
      .close()
      .then(() => servers.stop())
      .then(() => process.exit(0)),
);
setInterval(() => {}, 1e6);
