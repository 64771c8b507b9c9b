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

/** Builds `react-app.ts` as a classic script: `window.ReactApp`. */
export function bundleReactApp(): Promise<string> {
  return bundleScript("export * from './react-app.ts';", 'ReactApp');
}

/** Builds a module as a classic script, whose exports are in `window[globalName]`. */
export async function bundleScript(module: string, globalName: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    globalName,
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}
