import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBundles } from '../testing/bundles.ts';

describe('the bundles', () => {
  it('Each bundle has less than 3,000 bytes when gzipped', async () => {
    for (const bundle of Object.values(await makeBundles())) {
      const bytes = gzipSync(bundle).length;
      expect(bytes).toBeGreaterThan(500);
      expect(bytes).toBeLessThan(3_000);
    }
  });

  it('The bundles and the package have no dependencies', async () => {
    const { classic, module } = await makeBundles();
    expect(classic + module).not.toMatch(/\bimport\b|\brequire\(/);
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
  });
});
