import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { postgresHome } from './postgres-home.ts';

describe('postgresHome', () => {
  const folder = temporaryFolder();
  const home = postgresHome(folder.path, 'one');
  afterAll(() => {
    folder.remove();
    // Under root it is not inside the data folder.
    if (process.getuid?.() === 0) rmSync(dirname(home), { recursive: true, force: true });
  });

  it('returns the same folder for the same data folder and password, and keeps its data', () => {
    mkdirSync(home);
    writeFileSync(join(home, 'data'), '');
    expect(postgresHome(folder.path, 'one')).toBe(home);
    expect(existsSync(join(home, 'data'))).toBe(true);
  });

  it('empties the folder when the password differs, because the data belongs to an earlier checkout', () => {
    expect(postgresHome(folder.path, 'two')).toBe(home);
    expect(existsSync(join(home, 'data'))).toBe(false);
  });
});
