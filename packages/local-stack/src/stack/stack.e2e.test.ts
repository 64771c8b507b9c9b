import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '../processes/process-identity.ts';
import { projectRoot } from '../project-root.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { removeStackData } from './stack-data.ts';
import { stackFiles } from './stack-file.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';
import { scaled } from '../time-scale.ts';

// Nine processes start from their sources through tsx, hence the long deadlines.
jest.setTimeout(240_000);

describe('A stack', () => {
  const folder = temporaryFolder();
  let stack: Stack;
  const pidOf = (name: string) => stack.processes().find((one) => one.name === name)?.pid;
  beforeAll(async () => {
    const preloaded = join(folder.path, 'preloaded.mjs');
    writeFileSync(preloaded, "console.log('this was preloaded');");
    stack = await startStack({
      dataDir: folder.path,
      run: 'source',
      apis: 2,
      workers: { sync: 2 },
      processEnv: { 'api-2': { NODE_OPTIONS: `--import=${preloaded}` } },
      proxies: [
        { process: 'api-2', server: 'redis' },
        { process: 'sync-1', server: 'postgres' },
      ],
    });
  });
  afterAll(async () => {
    await stack.stop();
    removeStackData(folder.path);
  });

  it('runs both servers and every process, and serves requests', async () => {
    const names = stack.processes().map(({ name }) => name);
    const workers = ['sync-1', 'sync-2', 'reward-evaluation', 'webhook-delivery', 'housekeeping'];
    const others = ['api-1', 'api-2', 'console', 'dashboard', 'postgres', 'redis'];
    expect(names.sort()).toEqual([...others, ...workers].sort());
    expect(new Set(stack.apiUrls).size).toBe(2);
    expect(stack.apiUrls[0]).toBe(stack.apiUrl);
    for (const url of stack.apiUrls) {
      const answer = await fetch(`${url}/api/open/orders/sync/`, { method: 'POST' });
      expect(answer.status).toBe(401);
    }
  });

  it('gives one process settings of its own, and has a log of each', () => {
    expect(stack.dataDir).toBe(folder.path);
    const mark = 'this was preloaded';
    expect(readFileSync(stack.logPath('api-2'), 'utf8')).toContain(mark);
    for (const name of ['api-1', 'sync-1'])
      expect(readFileSync(stack.logPath(name), 'utf8')).not.toContain(mark);
  });

  it.each([
    ['api-2', 'redis', 'api-1'],
    ['sync-1', 'postgres', 'sync-2'],
  ] as const)('cuts %s off from %s, and no other process', async (name, server, other) => {
    const isReady = async (process: string) => (await fetch(`${stack.healthUrls[process]}/health/ready`)).ok;
    stack.proxy(name, server).set('cut');
    await waitFor(async () => !(await isReady(name)), { what: 'the outage' });
    expect(await isReady(other)).toBe(true);
    stack.proxy(name, server).set('open');
    await waitFor(() => isReady(name), { what: 'the end of the outage' });
    expect(() => stack.proxy(other, server)).toThrow(`There is no proxy between ${other} and ${server}`);
  });

  it('refuses settings and proxies of processes that it does not have', async () => {
    const refused = (options: Omit<StackOptions, 'dataDir'>) =>
      expect(startStack({ dataDir: join(folder.path, 'other'), ...options })).rejects.toThrow(
        'There is no process "api-2"',
      );
    await refused({ processEnv: { 'api-2': {} } });
    await refused({ proxies: [{ process: 'api-2', server: 'redis' }] });
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

describe('npm run demo', () => {
  const folder = temporaryFolder();
  afterAll(() => removeStackData(folder.path));

  interface Description {
    processes: { name: string; pid: number }[];
  }

  /** Runs the demo until it ends. Once it has started everything, `act` gets the pid of a process by its name. */
  async function runDemo(
    options: string[],
    act: (pidOf: (name: string) => number, output: () => string) => unknown,
  ) {
    const demo = spawn(
      process.execPath,
      ['--import', 'tsx', '-C', 'source', 'scripts/demo.ts', '--once', '--data', folder.path, ...options],
      { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [demo.stdout, demo.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(demo, 'close') as Promise<[code: number | null]>;
    const pidOf = (name: string) => {
      const path = join(folder.path, 'stack.json');
      const { processes } = JSON.parse(readFileSync(path, 'utf8')) as Description;
      return processes.find((one) => one.name === name)?.pid as number;
    };
    await waitFor(() => output.includes('2. Create a merchant'), {
      deadlineMs: 90_000,
      what: 'the start of the demo',
    });
    await act(pidOf, () => output);
    return { code: (await ended)[0], output };
  }

  it('says what it waits for and how far it is, and stops with the end of the log when nothing has changed', async () => {
    const seconds = scaled(60);
    const { code, output } = await runDemo(['--give-up-after', String(seconds)], (pidOf) =>
      process.kill(pidOf('sync'), 'SIGSTOP'),
    );
    const state = 'the webhooks (0 of 5 orders stored, 0 to evaluate, 0 of 4 webhooks received)';
    expect(output).toContain(`… waiting for ${state}`);
    expect(output).toContain(
      `Nothing has changed for ${seconds} s while waiting for ${state}\nThe end of ${folder.path}/logs/sync.log:\n`,
    );
    expect(output).toMatch(/"message":"started".*\n\n$/);
    // The sentence is printed once, although it is the cause of other errors too.
    expect(output.split('Nothing has changed')).toHaveLength(2);
    expect(code).toBe(1);
  });

  it('stops at once when a process ends, with the end of its log', async () => {
    const { code, output } = await runDemo([], async (pidOf, printed) => {
      process.kill(pidOf('webhook-delivery'), 'SIGSTOP');
      await waitFor(
        () => printed().includes('waiting for the webhooks (5 of 5 orders stored, 0 to evaluate'),
        {
          deadlineMs: 120_000,
          what: 'the wait for the webhooks',
        },
      );
      process.kill(pidOf('webhook-delivery'), 'SIGKILL');
    });
    expect(output).toContain(
      `webhook-delivery ended (SIGKILL). The end of ${folder.path}/logs/webhook-delivery.log:\n`,
    );
    expect(output).not.toContain('Nothing has changed');
    expect(code).toBe(1);
  });
});
