import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openLogFile } from '../processes/log-file.ts';
import { startProcess } from '../processes/start-process.ts';
import { supervise } from '../processes/supervise.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { endOfLog, waitUntilReady } from './start-app.ts';

it('A stack is not ready while another process answers on the port of one of its own', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, 'logs'));
  const log = openLogFile(join(folder.path, 'logs/api.log'));
  const start = () => startProcess({ command: 'sh', args: ['-c', 'echo hello; exec sleep 600'], log });
  const app = await supervise({ name: 'api', start });
  let pid: number | undefined;
  const other = createServer((_, response) => response.end(JSON.stringify({ status: 'ok', pid })));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const healthUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const plans = [{ name: 'api', app: 'api', environment: {}, healthUrl }];
    const patience = { stillMs: 500, logOf: (name: string) => endOfLog(folder.path, name) };
    const ready = () => waitUntilReady({ plans, apps: [app], patience });
    pid = process.pid;
    await expect(ready()).rejects.toThrow(
      /^Nothing has changed .+\(0 of 1 are ready; not yet api: another process has its port\)\nThe end of .*\/api\.log:\nhello$/,
    );
    pid = app.pid();
    await expect(ready()).resolves.toBeUndefined();
  } finally {
    other.close();
    await app.stop(5_000);
    folder.remove();
  }
});
