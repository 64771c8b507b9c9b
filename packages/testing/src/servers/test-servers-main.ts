import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '@rewardhook/local-stack';
import { startTestServers } from './start-test-servers.ts';

// The servers of one run of jest, in a process of their own: the first worker that needs them starts it, and it
// continues to run when that worker ends. It ends on SIGTERM from jest's global tear-down, or when jest has ended
// without one. Arguments: the folder of the run, and the pid of jest.
const [runFolder = '', jest = ''] = process.argv.slice(2);
const identity = identityOf(Number(jest));

/** Writes what the waiting workers read. The file is never seen incomplete. */
function write(content: { databaseUrl: string; redisUrl: string } | { error: string }): void {
  const path = join(runFolder, 'servers.json');
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
}

startTestServers().then(
  (servers) => {
    const stop = () => void servers.stop().finally(() => process.exit(0));
    process.once('SIGTERM', stop);
    setInterval(() => {
      if (identityOf(Number(jest)) !== identity) stop();
    }, 1_000);
    write({ databaseUrl: servers.databaseUrl, redisUrl: servers.redisUrl });
  },
  (error: unknown) => {
    write({ error: error instanceof Error ? String(error.stack) : String(error) });
    process.exit(1);
  },
);
