import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@rewardhook/testing';
import { openMetrics } from './metrics.ts';
import { measureRequests, warnAboutProxy } from './request-middleware.ts';

/** The warnings of three requests through a proxy. */
async function warningsWith(trustedProxies: number): Promise<string[]> {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  const check = warnAboutProxy({ trustedProxies, setting: 'API_TRUST_PROXY' }, log);
  const server = createServer((request, response) => check(request, response, () => response.end()));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let sent = 0; sent < 3; sent += 1) await fetch(url, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return warnings;
}

describe('warnAboutProxy', () => {
  it('A process that trusts no proxy warns once about requests through one', async () => {
    expect(await warningsWith(0)).toEqual([
      'requests come through a proxy that is not trusted: set API_TRUST_PROXY',
    ]);
  });

  it('A process that trusts the proxy does not warn', async () => {
    expect(await warningsWith(1)).toEqual([]);
  });
});

describe('measureRequests', () => {
  it('A request whose client closes the connection is counted as aborted, and an answered one by its status', async () => {
    const metrics = openMetrics();
    const measure = measureRequests(metrics, '/orders');
    let received = () => {};
    const aborting = new Promise<void>((resolve) => (received = resolve));
    const server = createServer((request, response) =>
      measure(request, response, () => (request.url === '/slow' ? received() : response.end())),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await fetch(url);
    const client = new AbortController();
    const slow = fetch(`${url}/slow`, { signal: client.signal });
    await aborting;
    client.abort();
    await expect(slow).rejects.toThrow();
    const exported = () => metrics.registry.metrics();
    const aborted = /^rewardhook_http_requests_aborted_total{route="\/orders"} 1$/m;
    await waitFor(async () => aborted.test(await exported()), { everyMs: 5, what: 'the aborted request' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await exported()).toMatch(
      /^rewardhook_http_request_seconds_count{route="\/orders",status="200"} 1$/m,
    );
  });
});
