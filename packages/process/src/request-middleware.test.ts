import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { warnAboutProxy } from './request-middleware.ts';

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
