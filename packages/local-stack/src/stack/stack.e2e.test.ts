import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '../processes/process-identity.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { removeStackData } from './stack-data.ts';
import { stackFiles } from './stack-file.ts';
import { startStack } from './stack.ts';
import type { Stack } from './stack.ts';
import { scaled } from '../time-scale.ts';

// Eight processes start from their sources through tsx, hence the long deadlines.
jest.setTimeout(120_000);

describe('A stack', () => {
  const folder = temporaryFolder();
  let stack: Stack;
  const pidOf = (name: string) => stack.processes().find((one) => one.name === name)?.pid;
  beforeAll(async () => {
    stack = await startStack({ dataDir: folder.path, run: 'source', workers: { sync: 2 } });
  });
  afterAll(async () => {
    await stack.stop();
    removeStackData(folder.path);
  });

  it('runs both servers and every process, and serves requests', async () => {
    const names = stack.processes().map(({ name }) => name);
    const workers = ['sync-1', 'sync-2', 'reward-evaluation', 'webhook-delivery', 'housekeeping'];
    expect(names.sort()).toEqual(['api', 'console', 'dashboard', 'postgres', 'redis', ...workers].sort());
    const answer = await fetch(`${stack.apiUrl}/api/open/orders/sync/`, { method: 'POST' });
    expect(answer.status).toBe(401);
  });

  it('writes its URLs and processes to stack.json', () => {
    const path = join(folder.path, 'stack.json');
    stackFiles(stack, folder.path).write();
    const written = JSON.parse(readFileSync(path, 'utf8')) as object;
    const { apiUrl, consoleUrl, dashboardUrl, dashboardUser, dashboardPassword, databaseUrl, redisUrl } =
      stack;
    expect(written).toEqual({
      ...{ apiUrl, consoleUrl, dashboardUrl, dashboardUser, dashboardPassword, databaseUrl, redisUrl },
      processes: stack.processes(),
    });
  });

  it('refuses to start when another stack uses the same data', async () => {
    await expect(startStack({ dataDir: folder.path })).rejects.toThrow('is used by process');
  });

  it.each(['postgres', 'redis', 'sync-2'])('restarts %s after it is killed', async (name) => {
    const before = pidOf(name);
    stack.kill(name, 'SIGKILL');
    await waitFor(() => pidOf(name) !== undefined && pidOf(name) !== before, { deadlineMs: 30_000 });
    expect(stack.restarts(name)).toBe(1);
    await stack.waitUntilReady();
  });

  it('stops everything that it started within 10 s', async () => {
    const pids = stack.processes().map(({ pid }) => pid);
    const start = performance.now();
    await stack.stop();
    expect(performance.now() - start).toBeLessThan(scaled(10_000));
    expect(pids.filter((pid) => identityOf(pid))).toEqual([]);
  });
});
