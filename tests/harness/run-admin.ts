import type { Database, Sealer } from '@rewardhook/database';
import { connectProducer, disconnect } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { readSettings, retentionDays, retentionSettings } from '@rewardhook/process';
import type { RetentionSettings } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import type { AdminContext } from '../../apps/admin/src/command.ts';
import { requireInstallation } from '../../apps/admin/src/commands/installation.ts';
import { runCommand } from '../../apps/admin/src/run-command.ts';
import { parseCommandLine } from '../../apps/admin/src/parse-command-line.ts';
import { testLog as log } from './test-log.ts';
import type { TestEnvironment } from './start-api.ts';

/** Runs a command of the admin command line, such as `webhook add`, without asking, and returns its document. A flag is `true`. */
export type RunAdmin = (
  name: string,
  options: Record<string, string | true>,
) => Promise<Record<string, unknown>>;

/** The admin command line in the process of the test, on the test's database. */
export function openAdmin(environment: TestEnvironment, database: Database, sealer: Sealer): RunAdmin {
  return async (name, options) => {
    const values = Object.entries(options).map(([option, value]) =>
      value === true ? `--${option}` : `--${option}=${value}`,
    );
    const parsed = parseCommandLine([...name.split(' '), ...values]);
    if (parsed.kind === 'help') throw new Error(`${name} printed its help`);
    const opened: Redis[] = [];
    const redis: AdminContext['redis'] = async ({ anyInstallation = false } = {}) => {
      const connection = connectProducer(environment.redisUrl, log);
      opened.push(connection);
      await waitFor(() => connection.status === 'ready', { everyMs: 5, what: 'the connection to Redis' });
      if (!anyInstallation) await requireInstallation(connection, context);
      return connection;
    };
    const context: AdminContext = {
      database,
      sealer,
      queuePrefix: environment.prefix,
      secretsKey: environment.secretsKey,
      allowLoopbackHttp: true,
      webhookLimits: {
        endpoints: { perMerchant: 20, perHost: 5, newPerUrl: 5 },
        testSeconds: 0,
        replaysAtOnce: 5,
      },
      retention: retentionDays(readSettings<RetentionSettings>(retentionSettings, {})),
      // The stages run in the process of the test, which writes no heartbeat.
      expectedProcesses: [],
      consoleUrl: 'http://console.test',
      redis,
      warn() {},
    };
    try {
      const operator = { name: 'tester', host: 'test', requestId: 'test' };
      return (await runCommand({ ...parsed, yes: true }, context, operator)).document as Record<
        string,
        unknown
      >;
    } finally {
      await Promise.all(opened.map(disconnect));
    }
  };
}
