import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { readAdminSettings } from '../apps/admin/src/environment.ts';
import { readApiSettings } from '../apps/api/src/environment.ts';
import { readConsoleSettings } from '../apps/console/src/environment.ts';
import { readDashboardSettings } from '../apps/dashboard/src/environment.ts';
import { readEvaluationSettings } from '../apps/reward-evaluation/src/environment.ts';
import { readSyncSettings } from '../apps/sync/src/environment.ts';
import { readDeliverySettings } from '../apps/webhook-delivery/src/environment.ts';

const readers: Record<string, (environment: NodeJS.ProcessEnv) => object> = {
  api: readApiSettings,
  sync: readSyncSettings,
  'reward-evaluation': readEvaluationSettings,
  'webhook-delivery': readDeliverySettings,
  dashboard: readDashboardSettings,
  console: readConsoleSettings,
  admin: readAdminSettings,
};
const required = {
  DATABASE_URL: 'postgres://127.0.0.1/x',
  REDIS_URL: 'redis://127.0.0.1',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  DASHBOARD_OPERATOR_PASSWORD: 'twelve characters',
};

interface Documented {
  variable: string;
  process: string;
  value: string;
}

/** The processes that a cell of the table names. */
function processesOf(cell: string): string[] {
  if (cell === 'all') return Object.keys(readers);
  if (cell === 'all services') return Object.keys(readers).filter((name) => name !== 'admin');
  const all = /^all but (.+)$/.exec(cell)?.[1];
  return all ? Object.keys(readers).filter((name) => !all.split(', ').includes(name)) : cell.split(', ');
}

/** Every default of the table, for each process that has it. */
function documentedDefaults(): Documented[] {
  const table =
    readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8').split('## Start and end')[0] ?? '';
  return table.split('\n').flatMap((line) => {
    const [, names = '', processCell = '', defaultCell = ''] = line.split('|').map((cell) => cell.trim());
    if (!names.startsWith('`')) return [];
    const variables = names.split(', ').map((name) => name.replaceAll('`', ''));
    const processes = processesOf(processCell);
    const values = defaultCell.split(', ').map((value) => value.replaceAll('`', ''));
    // One default of each variable, or of each process where there is one variable.
    return variables.flatMap((variable, v) =>
      processes.map((process, p) => ({
        variable,
        process,
        value: (variables.length === 1 && values.length > 1 ? values[p] : values[v]) ?? '',
      })),
    );
  });
}

const settings = documentedDefaults();
const withDefaults = settings.filter(
  ({ value }) => !/^(none|required.*)$/.test(value) && !value.includes('<'),
);

describe('The documented settings', () => {
  it('are in the table of docs/operations.md', () => {
    expect(settings.length).toBeGreaterThan(40);
    expect(settings).toContainEqual({ variable: 'CONCURRENCY', process: 'webhook-delivery', value: '2000' });
  });

  it.each(withDefaults)(
    '$variable of $process has the documented default $value, which it takes',
    (documented) => {
      const { variable, process, value } = documented;
      const read = readers[process];
      if (!read) throw new Error(`${process} is no process`);
      const valueIn = (environment: NodeJS.ProcessEnv) =>
        (read(environment) as Record<string, unknown>)[variable];
      const taken = valueIn({ ...required, [variable]: value });
      expect(String(taken)).toBe(value);
      // Some defaults are applied where the setting is used: such a setting may be undefined.
      expect([taken, undefined]).toContain(valueIn(required));
    },
  );

  it.each(settings.filter(({ value }) => value === 'required'))(
    '$variable of $process is required',
    ({ variable, process }) => {
      expect(() => readers[process]?.({ ...required, [variable]: undefined })).toThrow(
        `${variable} is not set`,
      );
    },
  );
});

it.each(['console', 'webhook-delivery', 'admin'])(
  'Webhooks to this machine are refused by %s in production, and allowed in development',
  (name) => {
    const read = readers[name] as (environment: NodeJS.ProcessEnv) => { WEBHOOK_ALLOW_LOOPBACK: boolean };
    const given = {
      ...required,
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
