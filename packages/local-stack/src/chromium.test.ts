import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath } from './chromium.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('chromiumPath', () => {
  const folder = temporaryFolder();
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });
  afterAll(() => folder.remove());

  const program = (name: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    return path;
  };

  it('returns the path in CHROMIUM_PATH', async () => {
    process.env['CHROMIUM_PATH'] = program('mine');
    expect(await chromiumPath()).toBe(process.env['CHROMIUM_PATH']);
  });

  it('refuses a CHROMIUM_PATH that is not executable', async () => {
    process.env['CHROMIUM_PATH'] = join(folder.path, 'nothing');
    await expect(chromiumPath()).rejects.toThrow('CHROMIUM_PATH is not a program');
  });

  it('finds Chromium on the PATH', async () => {
    delete process.env['CHROMIUM_PATH'];
    const chromium = program('chromium');
    process.env['PATH'] = folder.path;
    expect(await chromiumPath()).toBe(chromium);
  });
});
