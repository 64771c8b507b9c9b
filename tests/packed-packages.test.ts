import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

const run = promisify(execFile);

/** Packs a package, unpacks it into an empty folder as npm would install it, and prints what a script imports of it. */
async function importPacked(name: string, script: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-packed-'));
  try {
    await run('npm', ['pack', '-w', name, '--pack-destination', folder], { cwd: projectRoot });
    const [tarball = ''] = readdirSync(folder);
    const installed = join(folder, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
    const arguments_ = ['--input-type=module', '-e', script];
    return JSON.parse((await run(process.execPath, arguments_, { cwd: folder })).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('A packed package for merchants', () => {
  it('contains what it exports: the browser SDK', async () => {
    const script = `import * as sdk from '@rewardhook/browser-sdk';
      import { readdirSync } from 'node:fs';
      const files = readdirSync('node_modules/@rewardhook/browser-sdk/dist');
      const without = await sdk.boot({ userId: 'u' }).catch(({ code }) => code);
      console.log(JSON.stringify({ names: Object.keys(sdk).sort(), files, without }));`;
    expect(await importPacked('@rewardhook/browser-sdk', script)).toEqual({
      names: ['boot', 'init'],
      files: expect.arrayContaining(['index.js', 'index.d.ts', 'rewardhook.js', 'rewardhook.mjs']),
      without: 'not_initialized',
    });
  }, 60_000);

  it('contains what it exports: the webhook helper', async () => {
    const script = `import * as verify from '@rewardhook/webhook/verify';
      import vectors from '@rewardhook/webhook/test-vectors.json' with { type: 'json' };
      console.log(JSON.stringify({ names: Object.keys(verify), vectors: typeof vectors }));`;
    expect(await importPacked('@rewardhook/webhook', script)).toEqual({
      names: expect.arrayContaining(['verifyWebhook']),
      vectors: 'object',
    });
  }, 60_000);
});
