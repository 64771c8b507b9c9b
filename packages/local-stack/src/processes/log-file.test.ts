import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { openLogFile } from './log-file.ts';

describe('A log file', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('is rotated at its size limit, and one earlier file is kept', () => {
    const log = openLogFile(join(folder.path, 'logs/api.log'), 10);
    for (const line of ['first..\n', 'second.\n', 'third..\n']) log.write(line);
    expect(readFileSync(log.path, 'utf8')).toBe('third..\n');
    expect(readFileSync(`${log.path}.1`, 'utf8')).toBe('second.\n');
    expect(log.tail()).toBe('first..\nsecond.\nthird..');
  });

  it('is appended to by the next run', () => {
    const path = join(folder.path, 'again.log');
    openLogFile(path).write('a\n');
    openLogFile(path).write('b\n');
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
  });

  it('drops what is written after its folder was removed', () => {
    const removed = temporaryFolder();
    const log = openLogFile(join(removed.path, 'late.log'));
    removed.remove();
    expect(() => log.write('late\n')).not.toThrow();
  });
});
