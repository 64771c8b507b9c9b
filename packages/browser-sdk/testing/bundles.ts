import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
