import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programArguments, projectRoot } from '@rewardhook/local-stack';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

// Each test starts up to three processes.
jest.setTimeout(60_000);

describe('What the admin command line reads and writes', () => {
  let flow: Flow;
  let merchant: Merchant;
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-output-'));
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    await flow.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs the command line as a process of its own, with its standard output in the given file. */
  const run = (words: string[], stdout: number | 'pipe' = 'pipe') => {
    const { databaseUrl, redisUrl, secretsKey, prefix } = flow.environment;
    return spawnSync(process.execPath, [...programArguments('apps/admin/main', 'built'), ...words], {
      cwd: projectRoot,
      stdio: ['ignore', stdout, 'pipe'],
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        SECRETS_KEY: secretsKey,
        QUEUE_PREFIX: prefix,
      },
    });
  };
  it('is UTF-8: an argument in another encoding is refused with its name', () => {
    const program = [process.execPath, ...programArguments('apps/admin/main', 'built')];
    // Only a shell passes bytes that are not UTF-8: 홍길 in CP949.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"$@" merchant create --name "$(printf '\\310\\253\\261\\346')"`, 'sh', ...program],
      { cwd: projectRoot, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not UTF-8 (probably CP949 or EUC-KR)')]);
  });

  const exportTo = (file: string) => run(['reward', 'export', '--merchant', merchant.id, '--file', file]);
  const header = /^reward_id,state,role/;

  it('A command whose output cannot be written fails, and says that a key that is shown once is lost', () => {
    const words = ['key', 'create', '--merchant', merchant.id, '--kind', 'secret'];
    const { status, stderr } = run(words, openSync('/dev/full', 'w'));
    expect([status, stderr]).toEqual([1, expect.stringContaining('The output cannot be written: ENOSPC')]);
    expect(stderr).toContain('a secret that it shows only once is lost');
  });

  it('An export replaces a plain file and leaves no other file behind', () => {
    const file = join(folder, 'plain.csv');
    writeFileSync(file, 'before');
    expect(exportTo(file)).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toMatch(header);
    expect(readdirSync(folder)).toEqual(['plain.csv']);
  });

  it('An export follows a symbolic link, also one whose file does not exist yet', () => {
    for (const name of ['existing', 'missing']) {
      const [file, link] = [join(folder, `${name}.csv`), join(folder, `${name}-link.csv`)];
      if (name === 'existing') writeFileSync(file, 'before');
      symlinkSync(file, link);
      expect(exportTo(link).status).toBe(0);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readFileSync(file, 'utf8')).toMatch(header);
    }
  });

  it('An export to a named pipe or to /dev/null is written there and replaces nothing', () => {
    expect(exportTo('/dev/null').status).toBe(0);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Opened for reading and writing, so that the command does not wait for a reader.
    const reader = openSync(pipe, 'r+');
    expect(exportTo(pipe).status).toBe(0);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    const received = Buffer.alloc(1_000);
    const length = readSync(reader, received);
    expect(received.toString('utf8', 0, length)).toMatch(header);
  });

  it('An export to a full device fails', () => {
    expect(exportTo('/dev/full')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('/dev/full cannot be written: ENOSPC'),
    });
  });
});
