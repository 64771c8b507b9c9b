import {
  databaseSettings,
  readSettings,
  redisSettings,
  secretsKeySetting,
  SettingsError,
} from './environment.ts';

const settings = { ...databaseSettings, ...redisSettings, ...secretsKeySetting };

describe('settings', () => {
  it('name every problem at once, without the values', () => {
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

  it('take an empty variable as not set', () => {
    expect(() => readSettings(secretsKeySetting, { SECRETS_KEY: '' })).toThrow('SECRETS_KEY is not set');
  });

  it('fill in defaults and turn text into numbers', () => {
    const environment = { DATABASE_URL: 'postgresql://localhost/x', DATABASE_POOL_SIZE: '7' };
    expect(readSettings(databaseSettings, environment)).toEqual({
      DATABASE_URL: 'postgresql://localhost/x',
      DATABASE_POOL_SIZE: 7,
    });
  });
});
