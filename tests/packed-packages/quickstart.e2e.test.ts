import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMerchant, openAdmin, removeStackData, startStack } from '@rewardhook/local-stack';
import { scaled, temporaryFolder } from '@rewardhook/testing';
import { followQuickstart, packagesOfQuickstart } from '../harness/follow-quickstart.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { packPackages } from './pack-packages.ts';

it('The quickstart leads to a verified reward in less than a minute on a fresh stack, with the packages from npm pack', async () => {
  const cleanup = openCleanup();
  try {
    const [copy, shop, data] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const folder of [copy, shop, data]) cleanup.add(() => folder.remove());
    await packPackages(packagesOfQuickstart, { copy: join(copy.path, 'copy'), tarballs: shop.path });
    writeFileSync(join(shop.path, 'package.json'), '{ "name": "shop", "private": true }');
    const stack = await startStack({ dataDir: data.path, ports: 'auto' });
    cleanup.add(() => removeStackData(data.path));
    cleanup.add(() => stack.stop());
    const admin = openAdmin(stack.environment);
    const { merchantId } = await createMerchant(admin, 'Tea shop');
    const { key } = await admin<{ key: string }>(
      'key',
      'create',
      '--test',
      '--merchant',
      merchantId,
      '--kind',
      'secret',
    );
    const { signingKeys } = await admin<{ signingKeys: [{ signingSecret: string }] }>(
      'signing-key',
      'show',
      '--test',
      '--merchant',
      merchantId,
    );
    const [{ signingSecret }] = signingKeys;

    const start = Date.now();
    const output = await followQuickstart({
      folder: shop.path,
      values: {
        REWARDHOOK_BASE_URL: stack.apiUrl,
        REWARDHOOK_SECRET_KEY: key,
        REWARDHOOK_SIGNING_SECRET: signingSecret,
      },
      // The packages have no dependencies, so nothing is downloaded.
      environment: { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
    });
    expect(output).toContain('"accepted_count":1');
    expect(Date.now() - start).toBeLessThan(scaled(60_000));
  } finally {
    await cleanup.run();
  }
}, 300_000);
