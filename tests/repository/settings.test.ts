import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import Joi from 'joi';
import { readAdminSettings } from '../../apps/admin/src/environment.ts';
import { readApiSettings } from '../../apps/api/src/environment.ts';
import { readConsoleSettings } from '../../apps/console/src/environment.ts';
import { readDeliverySettings } from '../../apps/webhook-delivery/src/environment.ts';
import { envExample } from '../../scripts/write-env-example.ts';
import { settingDifferences } from '../settings/compare-settings.ts';
import { documentedSettings, parseSettings } from '../settings/documented-settings.ts';
import { commands, schemas, settingsOf } from '../settings/processes.ts';

const names = Object.keys(schemas);

describe('The settings table of docs/operations/settings.md', () => {
  it('has the settings, defaults and secrets that the processes read, and nothing else', () => {
    const documented = documentedSettings(names, commands);
    expect(documented.length).toBeGreaterThan(80);
    expect(settingDifferences(documented, schemas)).toEqual([]);
  });

  it('is what npm run env:example has written into .env.example', () => {
    expect(readFileSync(join(projectRoot, '.env.example'), 'utf8')).toBe(envExample());
  });

  it('A wrong table is found: default, process, missing row, secret, and a default that the process refuses', () => {
    const table = `# Settings
| variable | processes | default | |
| --- | --- | --- | --- |
| \`QUEUE_SHARDS\` | sync, api | 2000 | queues |
| \`LOG_LEVEL\` | sync | \`debug\` | lines |
| \`REDIS_URL\` | sync | required | Redis 7 |
`;
    const sync = {
      QUEUE_SHARDS: Joi.number().max(1_000).default(2_000),
      LOG_LEVEL: Joi.string().default('info'),
      REDIS_URL: Joi.string().required().meta({ secret: true }),
      QUEUE_PREFIX: Joi.string(),
    };
    expect(settingDifferences(parseSettings(table, ['sync', 'api'], []), { sync, api: {} })).toEqual([
      'QUEUE_SHARDS is documented for api, which does not read it',
      'QUEUE_SHARDS of sync refuses its own default: "QUEUE_SHARDS" must be less than or equal to 1000',
      'LOG_LEVEL of sync has the default info, documented is debug',
      'REDIS_URL of sync is a secret, which is not documented',
      'QUEUE_PREFIX of sync has 0 rows in docs/operations/settings.md',
    ]);
  });

  it('A process reads the secrets that it needs and no others', () => {
    const secretsOf = (process: string) =>
      settingsOf(process).flatMap((setting) => (setting.secret ? [setting.name] : []));
    const without = (...unneeded: string[]) => expect.not.arrayContaining(unneeded) as unknown;
    expect(secretsOf('dashboard')).toEqual(without('SECRETS_KEY', 'DATABASE_URL', 'SMTP_URL'));
    for (const process of ['sync', 'reward-evaluation', 'housekeeping', 'migrate'])
      expect(secretsOf(process)).toEqual(without('SECRETS_KEY'));
    for (const process of names.filter((name) => name !== 'dashboard'))
      expect(secretsOf(process).filter((name) => name.startsWith('DASHBOARD_'))).toEqual([]);
    expect(secretsOf('migrate')).toEqual(without('REDIS_URL'));
  });
});

it.each([
  ['api', readApiSettings],
  ['console', readConsoleSettings],
  ['webhook-delivery', readDeliverySettings],
  ['admin', readAdminSettings],
] as const)(
  'Webhooks to this machine are refused by %s in production, and allowed in development',
  (_, read: (environment: NodeJS.ProcessEnv) => { WEBHOOK_ALLOW_LOOPBACK: boolean }) => {
    const given = {
      DATABASE_URL: 'postgres://127.0.0.1/x',
      REDIS_URL: 'redis://127.0.0.1',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      CONSOLE_PUBLIC_URL: 'https://console.example',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
    };
    expect(() => read({ ...given, NODE_ENV: 'production' })).toThrow(
      'WEBHOOK_ALLOW_LOOPBACK must not be true with NODE_ENV=production',
    );
    expect(read(given).WEBHOOK_ALLOW_LOOPBACK).toBe(true);
    const off = { ...given, WEBHOOK_ALLOW_LOOPBACK: 'false', NODE_ENV: 'production' };
    expect(read(off).WEBHOOK_ALLOW_LOOPBACK).toBe(false);
  },
);
