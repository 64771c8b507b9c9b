import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LogFile } from '../processes/log-file.ts';
import { runToEnd } from '../processes/start-process.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

/** The superuser of the clusters, and the name of their database. */
export const databaseOwner = 'rewardhook';

/** Creates an empty cluster in `dataDir` (UTF-8, password login) unless there is one. */
export async function initializeCluster(options: {
  initdb: string;
  dataDir: string;
  password: string;
  log: LogFile;
  /** Whether to wait for the disk. False for data that may be lost. */
  sync: boolean;
  /** Default: the C collation. */
  icuLocale?: string | undefined;
}): Promise<void> {
  const { dataDir, password, log } = options;
  if (existsSync(join(dataDir, 'PG_VERSION')) && existsSync(join(dataDir, 'complete'))) return;
  // A run that was killed leaves a folder that initdb refuses.
  rmSync(dataDir, { recursive: true, force: true });
  const user = unprivilegedUser();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const passwordFile = `${dataDir}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) {
    chownSync(dataDir, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  const login = ['--username', databaseOwner, '--auth', 'scram-sha-256', '--pwfile', passwordFile];
  const { icuLocale } = options;
  const collation = icuLocale === undefined ? [] : ['--locale-provider', 'icu', '--icu-locale', icuLocale];
  const text = ['--encoding', 'UTF8', '--no-locale', ...collation];
  try {
    await runToEnd({
      command: options.initdb,
      args: ['-D', dataDir, ...login, ...text, ...(options.sync ? [] : ['--no-sync'])],
      cwd: dirname(dataDir),
      log,
      user,
    });
    writeFileSync(join(dataDir, 'complete'), '');
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
