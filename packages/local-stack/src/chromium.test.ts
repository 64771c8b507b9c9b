import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath } from './chromium.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('the path of Chromium', () => {
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

  it('is what CHROMIUM_PATH says', async () => {
    process.env['CHROMIUM_PATH'] = program('mine');
    expect(await chromiumPath()).toBe(process.env['CHROMIUM_PATH']);
  });

  it('is not a file that cannot be run', async () => {
    process.env['CHROMIUM_PATH'] = join(folder.path, 'nothing');
    await expect(chromiumPath()).rejects.toThrow('CHROMIUM_PATH is not a program');
  });

  it('is found on the PATH', async () => {
    delete process.env['CHROMIUM_PATH'];
    const chromium = program('chromium');
    process.env['PATH'] = folder.path;
    expect(await chromiumPath()).toBe(chromium);
  });
});
