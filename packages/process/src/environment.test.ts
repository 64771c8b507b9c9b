import {
  databaseSettings,
  readSettings,
  redisSettings,
  secretsKeySetting,
  SettingsError,
} from './environment.ts';

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
