import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogFile, programArguments, startProcess } from '@rewardhook/local-stack';
import type { Exit, RunningProcess } from '@rewardhook/local-stack';
import { buildOrder, freePorts, projectRoot, scaled, waitFor } from '@rewardhook/testing';
import { createMerchant, createTestDatabase, startRedis } from '@rewardhook/testing/servers';
import { openCleanup } from '../harness/cleanup.ts';
import { openStackAdmin } from '../harness/stack-admin.ts';
import { startHaproxy } from './haproxy.ts';
import { startKeepAliveClients } from './keep-alive-clients.ts';

// As in production: built processes, with the default settings of the shutdown, except behind a load balancer.
jest.setTimeout(120_000);

/** Three processes under SIGTERM, stalled clients, and the load balancer. The data of a failed one is kept. */
const tests = 5;

interface HttpProcess {
  name: string;
  url: string;
  healthUrl: string;
  start(): Promise<RunningProcess>;
}

describe('SIGTERM of a process that serves HTTP', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-shutdown-'));
  const cleanup = openCleanup();
  const running: RunningProcess[] = [];
  let environment: Record<string, string>;
  let secretKey: string;
  let passed = 0;

  beforeAll(async () => {
    // Redis writes no file: on a busy disk a write can take more than a second, and the API then answers 503.
    const redis = await startRedis({ dir: join(dataDir, 'redis'), args: ['--appendonly', 'no'] });
    cleanup.add(() => redis.stop());
    const database = await createTestDatabase();
    cleanup.add(() => database.drop());
    environment = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      DASHBOARD_OPERATOR_PASSWORD: randomBytes(16).toString('hex'),
      MAIL_FOLDER: join(dataDir, 'mail'),
      LISTEN_HOST: '127.0.0.1',
    };
    ({ secretKey } = await createMerchant(openStackAdmin(environment), 'Shutdown shop'));
    // Stores the orders, which would otherwise be too many in Redis.
    const [healthPort] = (await freePorts(1)) as [number];
    await start('sync', 'sync', { ...environment, HEALTH_PORT: String(healthPort) });
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await cleanup.run();
    if (passed === tests) rmSync(dataDir, { recursive: true });
    else process.stdout.write(`The data and logs are in ${dataDir}\n`);
  });

  /** Starts a process of an app, and waits until it is ready. */
  async function start(app: string, name: string, env: Record<string, string>): Promise<RunningProcess> {
    const started = await startProcess({
      command: process.execPath,
      args: programArguments(`apps/${app}/main`, 'built'),
      cwd: projectRoot,
      env: { ...process.env, ...env },
      log: openLogFile(join(dataDir, 'logs', `${name}.log`)),
    });
    running.push(started);
    const isReady = async () => (await fetch(`http://127.0.0.1:${env['HEALTH_PORT']}/health/ready`)).ok;
    await waitFor(isReady, { deadlineMs: 20_000, everyMs: 50, what: name });
    return started;
  }

  async function planProcess(
    app: 'api' | 'console' | 'dashboard',
    name: string,
    shutdownDelay = '',
  ): Promise<HttpProcess> {
    const [port, healthPort] = (await freePorts(2)) as [number, number];
    const variable = app.toUpperCase();
    const env = {
      ...environment,
      SHUTDOWN_DELAY_SECONDS: shutdownDelay,
      [`${variable}_PORT`]: String(port),
      HEALTH_PORT: String(healthPort),
    };
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      healthUrl: `http://127.0.0.1:${healthPort}/health/ready`,
      start: () => start(app, name, env),
    };
  }

  /** Sends SIGTERM, and returns how and how fast the process ended. */
  async function terminate(target: RunningProcess): Promise<{ exit: Exit; seconds: number }> {
    const startedAt = performance.now();
    target.kill('SIGTERM');
    const exit = await target.exited;
    return { exit, seconds: (performance.now() - startedAt) / 1_000 };
  }

  let orders = 0;
  const orderBody = () =>
    JSON.stringify({ orders: [buildOrder({ order_id: `shutdown-${(orders += 1)}`, member_id: 'member' })] });
  const syncHeaders = () => ({ 'x-service-key': secretKey, 'content-type': 'application/json' });

  it.each(['api', 'console', 'dashboard'] as const)(
    'Four SIGTERMs of %s with 20 keep-alive clients end it within 3 s, with exit code 0 and without a reset',
    async (app) => {
      const target = await planProcess(app, `${app}-terminated`);
      const seconds: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const started = await target.start();
        const clients = startKeepAliveClients({
          url:
            target.url +
            { api: '/api/open/orders/sync/', console: '/api/console/session', dashboard: '/' }[app],
          count: 20,
          pauseMs: 20,
          headers: app === 'api' ? syncHeaders() : {},
          body: app === 'api' ? orderBody : () => '',
        });
        const answered = () => Object.values(clients.report.answers).reduce((sum, count) => sum + count, 0);
        await waitFor(() => answered() >= 100, { deadlineMs: 20_000, what: 'the first answers' });
        const ended = await terminate(started);
        const { closing, failures } = await clients.stop();
        expect(ended.exit).toEqual({ code: 0, signal: null });
        expect(failures).toEqual([]);
        expect(closing).toBeGreaterThan(0);
        expect(ended.seconds).toBeLessThan(scaled(3));
        seconds.push(ended.seconds);
      }
      passed += 1;
      process.stdout.write(`${app}: ended after ${seconds.map((value) => value.toFixed(2)).join(', ')} s\n`);
    },
  );

  it('The API is not ready at once after SIGTERM, on its own port and on the health port, and stalled clients do not delay its end', async () => {
    const target = await planProcess('api', 'api-stalled');
    const started = await target.start();
    const port = Number(new URL(target.url).port);
    const open = (bytes: string) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      if (bytes) socket.write(bytes);
      const ended = new Promise<string>((resolve, reject) => {
        socket.once('end', () => resolve(received)).once('error', reject);
      });
      return ended.finally(() => socket.destroy());
    };
    const silent = open('');
    const headers = open('POST /api/open/orders/sync/ HTTP/1.1\r\nHost: a');
    const body = open(
      `POST /api/open/orders/sync/ HTTP/1.1\r\nHost: api\r\nX-Service-Key: ${secretKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"orders":[',
    );
    const held = () => fetch(new URL('/metrics', target.healthUrl)).then((answer) => answer.text());
    await waitFor(async () => /body_bytes_in_flight\S* 1000$/m.test(await held()), { what: 'the half body' });

    const ending = terminate(started);
    const statusOf = async (url: string) => (await fetch(url)).status;
    await waitFor(async () => (await statusOf(target.healthUrl)) === 503, {
      deadlineMs: 500,
      what: 'not ready',
    });
    expect(await statusOf(`${target.url}/health/ready`)).toBe(503);
    expect(await statusOf(`${target.url}/health/live`)).toBe(200);

    const { exit, seconds } = await ending;
    expect(exit).toEqual({ code: 0, signal: null });
    expect(seconds).toBeLessThan(scaled(4));
    expect(await silent).toBe('');
    expect(await headers).toBe('');
    expect(await body).toMatch(/^HTTP\/1\.1 503 [^]*"code":"service_unavailable"/);
    passed += 1;
    process.stdout.write(`api with stalled clients: ended after ${seconds.toFixed(2)} s\n`);
  });

  it('No request fails while two APIs behind HAProxy are restarted one after the other under load', async () => {
    // As docs/operations/upgrade.md recommends behind a load balancer.
    const apis = [await planProcess('api', 'api-a', '3'), await planProcess('api', 'api-b', '3')];
    const started = await Promise.all(apis.map((api) => api.start()));
    const [port] = (await freePorts(1)) as [number];
    const proxy = await startHaproxy({
      folder: dataDir,
      port,
      serverPorts: apis.map(({ url }) => Number(new URL(url).port)),
    });
    running.push(proxy);
    const proxyUrl = `http://127.0.0.1:${port}`;
    await waitFor(async () => (await fetch(`${proxyUrl}/health/ready`)).ok, { what: 'the proxy' });
    const clients = startKeepAliveClients({
      url: `${proxyUrl}/api/open/orders/sync/`,
      count: 20,
      pauseMs: 200,
      headers: syncHeaders(),
      body: orderBody,
    });
    const seconds: number[] = [];
    for (const round of [1, 2]) {
      for (const [index, api] of apis.entries()) {
        const before = clients.report.answers[202] ?? 0;
        const ended = await terminate(started[index] as RunningProcess);
        expect(ended.exit).toEqual({ code: 0, signal: null });
        seconds.push(ended.seconds);
        started[index] = await api.start();
        // The proxy has checked it and sends it requests again.
        await waitFor(async () => (await acceptedBy(api)) > 0, {
          deadlineMs: 20_000,
          what: `${api.name} ${round}`,
        });
        expect(clients.report.answers[202]).toBeGreaterThan(before);
      }
    }
    const report = await clients.stop();
    expect(report.failures).toEqual([]);
    expect(report.unavailable).toEqual([]);
    expect(Object.keys(report.answers)).toEqual(['202']);
    passed += 1;
    process.stdout.write(
      `rolling restart: ${report.answers[202]} of ${report.answers[202]} requests answered 202, ` +
        `ends after ${seconds.map((value) => value.toFixed(2)).join(', ')} s\n`,
    );
  });
});

/** Number of orders that the process has accepted since its start. */
async function acceptedBy({ healthUrl }: HttpProcess): Promise<number> {
  const text = await (await fetch(new URL('/metrics', healthUrl))).text();
  return Number(/^rewardhook_orders_accepted_total\S* (\d+)$/m.exec(text)?.[1] ?? 0);
}
