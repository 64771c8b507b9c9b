import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Builds both bundles as `npm run build` does, and reads them. */
export async function makeBundles(): Promise<{ classic: string; module: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-sdk-'));
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../bundle.mjs'), folder]);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { classic: read('rewardhook.js'), module: read('rewardhook.mjs') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds `react-app.tsx` as a classic script: `window.ReactApp`. */
export async function bundleReactApp(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'react-app.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'ReactApp',
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}
