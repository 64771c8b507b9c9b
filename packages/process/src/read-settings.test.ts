import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@rewardhook/testing';
import { databaseSettings, redisSettings, secretsKeySetting } from './environment.ts';
import { readSettings, SettingsError } from './read-settings.ts';

const settings = { ...databaseSettings, ...redisSettings, ...secretsKeySetting };

describe('readSettings', () => {
  it('The error names all problems, without the values', () => {
    const read = () =>
      readSettings(settings, {
        DATABASE_URL: 'mysql://root:hunter2@db/x',
        DATABASE_POOL_SIZE: '0',
        SECRETS_KEY: 'c2hvcnQ=',
      });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(/DATABASE_URL[^]*DATABASE_POOL_SIZE[^]*REDIS_URL is not set[^]*SECRETS_KEY/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('An empty variable counts as not set', () => {
    expect(() => readSettings(secretsKeySetting, { SECRETS_KEY: '' })).toThrow('SECRETS_KEY is not set');
  });

  it('Defaults are filled in and numbers are parsed', () => {
    const environment = { DATABASE_URL: 'postgresql://localhost/x', DATABASE_POOL_SIZE: '7' };
    expect(readSettings(databaseSettings, environment)).toEqual({
      DATABASE_URL: 'postgresql://localhost/x',
      DATABASE_POOL_SIZE: 7,
    });
  });
});

describe('A secret in a file', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const key = Buffer.alloc(32, 7).toString('base64');
  const fileWith = (text: string) => {
    const path = join(folder.path, `secret-${text.length}`);
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['without a line break', ''],
    ['with a line break', '\n'],
    ['with a line break of Windows', '\r\n'],
  ])('is read %s at its end', (_, end) => {
    const read = readSettings<object>(secretsKeySetting, { SECRETS_KEY_FILE: fileWith(key + end) });
    expect(read).toEqual({ SECRETS_KEY: key });
  });

  it('and in the environment is an error, even if both are equal', () => {
    const both = { SECRETS_KEY: key, SECRETS_KEY_FILE: fileWith(key) };
    expect(() => readSettings(secretsKeySetting, both)).toThrow(
      'SECRETS_KEY and SECRETS_KEY_FILE are both set: set one of them',
    );
  });

  it('that cannot be read is an error with its path and the reason, beside all other problems', () => {
    const path = join(folder.path, 'missing');
    const read = () => readSettings(settings, { SECRETS_KEY_FILE: path, REDIS_URL_FILE: folder.path });
    expect(read).toThrow(`SECRETS_KEY_FILE names ${path}, which cannot be read (ENOENT)`);
    expect(read).toThrow(`REDIS_URL_FILE names ${folder.path}, which cannot be read (EISDIR)`);
    expect(read).toThrow('DATABASE_URL is not set');
    expect(read).not.toThrow('SECRETS_KEY is not set');
  });

  it('that is empty counts as not set', () => {
    expect(() => readSettings(secretsKeySetting, { SECRETS_KEY_FILE: fileWith('\n') })).toThrow(
      'SECRETS_KEY is not set',
    );
  });

  it('is validated like a variable, and the error does not show it', () => {
    const read = () => readSettings(redisSettings, { REDIS_URL_FILE: fileWith('http://secret-host/') });
    expect(read).toThrow(/REDIS_URL"? must be/);
    expect(read).not.toThrow(/secret-host/);
  });

  it('is read for secrets only', () => {
    expect(() => readSettings(databaseSettings, { DATABASE_POOL_SIZE_FILE: '/missing' })).toThrow(
      /^Invalid settings:\n {2}- DATABASE_URL is not set$/,
    );
  });
});
