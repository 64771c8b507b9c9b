import { request } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMerchant, removeStackData, startStack } from '@rewardhook/testing/servers';
import { temporaryFolder } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing/servers';
import { createRoutes } from '../apps/console/src/routes.ts';
import { publishedDocument } from '../apps/api/src/openapi/document.ts';
import { openCleanup } from './harness/cleanup.ts';
import { openStackAdmin } from './harness/stack-admin.ts';

jest.setTimeout(300_000);

/** Names that every object has, or that change what it inherits. */
const names = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  '__defineGetter__',
  '__lookupSetter__',
];

/** Headers that a server looks something up by, and one for each way to send a name within a value. */
const headersWith = (name: string): Record<string, string>[] => [
  { 'content-encoding': name },
  { 'transfer-encoding': 'chunked', 'content-encoding': name },
  { 'content-type': name },
  { 'content-type': `application/json; charset=${name}` },
  { 'content-type': `application/${name}` },
  { accept: name },
  { 'accept-encoding': name },
  { 'accept-language': name },
  { prefer: name },
  { prefer: `handling=${name}` },
  { 'if-none-match': name },
  { range: name },
  { origin: `https://${name}.example` },
  { 'access-control-request-method': name },
  { 'access-control-request-headers': name },
  { traceparent: name },
  { 'x-request-id': name },
  { 'x-forwarded-for': name },
  { 'x-forwarded-proto': name },
  { cookie: `${name}=${name}` },
  { authorization: `${name} ${name}` },
  { 'x-service-key': name },
  { 'x-service-key': `svc_sk_${name}` },
  { 'sec-fetch-site': name },
  { [name]: name },
];

/** A server of the stack with the headers of somebody who may call it, and its paths. */
interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  paths: string[];
}

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request as it is given; resolves with the status, or with the error of a connection that was closed. */
function send(target: Target, { method, path, headers = {}, body }: Sent): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request(
      target.url + path,
      {
        method,
        headers: {
          'content-type': 'application/json',
          ...(body !== undefined &&
            !headers['transfer-encoding'] && { 'content-length': Buffer.byteLength(body) }),
          ...target.headers,
          ...headers,
        },
        // A connection of its own: a server may close one whose request it has refused.
        agent: false,
        timeout: 10_000,
      },
      (response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer within 10 s')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

/** All ways to send a name to a path. */
function requestsWith(name: string, path: string): Sent[] {
  const query = `${name}=${name}&after=${name}&limit=${name}&type=${name}&state=${name}&from=${name}&search=${name}`;
  const nested = `{"${name}":{"${name}":1},"orders":[{"${name}":1,"items":[{"${name}":1}]}],"code":"${name}"}`;
  return [
    ...['GET', 'POST'].flatMap((method) =>
      headersWith(name).map((headers) => ({
        method,
        path,
        headers,
        ...(method === 'POST' && { body: nested }),
      })),
    ),
    { method: 'GET', path: `${path.replace(/\/$/, '')}/${name}` },
    { method: 'GET', path: `${path}?${query}` },
    { method: 'POST', path: `${path}?${query}`, body: `{"${name}":"${name}"}` },
    ...['PATCH', 'PUT', 'DELETE'].map((method) => ({ method, path, body: nested })),
  ];
}

/** The pid of a process, and when it was started: another process with the same pid has another time. */
function identityOf({ name, pid }: { name: string; pid: number }): string {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return `${name} ${pid} ${fields[19]}`;
}

describe('Names that every object inherits', () => {
  const cleanup = openCleanup();
  let stack: Stack;
  let targets: Target[];
  beforeAll(async () => {
    const folder = temporaryFolder();
    cleanup.add(() => folder.remove());
    const dataDir = join(folder.path, 'stack');
    stack = await startStack({ dataDir, ports: 'auto' });
    cleanup.add(async () => {
      await stack.stop();
      removeStackData(dataDir);
    });
    const admin = openStackAdmin(stack.environment);
    const { merchantId, secretKey } = await createMerchant(admin, 'Shop');
    const { paths } = JSON.parse(publishedDocument()) as { paths: Record<string, object> };
    const apiPaths = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, 'x'));
    // Only their paths are read: no route is called.
    const unused = { openRateLimit: () => undefined } as unknown as Parameters<typeof createRoutes>[0];
    const routes = createRoutes(unused);
    const consolePaths = [
      ...new Set(routes.map(({ path }) => `/api/console${path.replaceAll(/:\w+/g, 'x')}`)),
    ];
    const dashboard = Buffer.from(`${stack.dashboardUser}:${stack.dashboardPassword}`).toString('base64');
    targets = [
      { name: 'api', url: stack.apiUrl, headers: { 'x-service-key': secretKey }, paths: apiPaths },
      {
        name: 'console',
        url: stack.consoleUrl,
        headers: { 'x-rewardhook-console': '1', cookie: await signIn(admin, merchantId) },
        paths: consolePaths,
      },
      {
        name: 'dashboard',
        url: stack.dashboardUrl,
        headers: { authorization: `Basic ${dashboard}` },
        paths: ['/', '/api/queues', '/api/queues/sync', '/static', '/queue/sync'],
      },
      ...Object.entries(stack.healthUrls).map(([name, url]) => ({
        name: `health of ${name}`,
        url,
        headers: {},
        paths: ['/health/live', '/health/ready', '/metrics', '/'],
      })),
    ];
  });
  afterAll(() => cleanup.run());

  /** The cookie of an owner of the merchant. */
  async function signIn(admin: ReturnType<typeof openStackAdmin>, merchant: string): Promise<string> {
    const { link } = await admin<{ link: string }>(
      ...['merchant', 'invite', '--merchant', merchant, '--email', 'owner@example.com'],
    );
    const token = new URL(link).pathname.split('/').at(-1);
    const response = await fetch(`${stack.consoleUrl}/api/console/invitations/${token}/accept`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-rewardhook-console': '1',
        origin: stack.consoleUrl,
      },
      body: JSON.stringify({ password: 'tea cups for two' }),
    });
    const [cookie = ''] = response.headers.getSetCookie();
    return cookie.split(';')[0] ?? '';
  }

  it('end no process and cause no failure in any header, query, path or body of any server', async () => {
    const before = stack.processes().map(identityOf);
    const failed: string[] = [];
    for (const target of targets) {
      // Every name in every place of one path, and on every other path one name in each place, in turn.
      for (const [index, path] of target.paths.entries()) {
        const chosen = index === 0 ? names : [names[index % names.length] as string];
        for (const name of chosen) {
          const sendOne = async (sent: Sent) => {
            const status = await send(target, sent);
            // 502 and 503 would be right while a server that it needs is away, and none is.
            if (typeof status !== 'number' || status >= 500)
              failed.push(
                `${target.name}: ${sent.method} ${sent.path} ${JSON.stringify(sent.headers)}: ${status}`,
              );
          };
          await Promise.all(requestsWith(name, path).map(sendOne));
        }
      }
    }
    expect(failed).toEqual([]);
    expect(stack.processes().map(identityOf)).toEqual(before);
  });
});
