import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOrder, freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import {
  createMerchant,
  openAdmin,
  removeStackData,
  startRedis,
  startStack,
} from '@rewardhook/testing/servers';
import { selfSigned } from '@rewardhook/testing/hostile-receiver';
import type { Stack } from '@rewardhook/testing/servers';
import { readRows } from './harness/read-rows.ts';
import { callWithRetries, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';

// As in production: separate processes and built code. NODE_EXTRA_CA_CERTS is read when a process starts.
jest.setTimeout(110_000);

/** The rights that docs/operations/scale.md gives to the user of the processes. */
const documentedRights = () => {
  const document = readFileSync(join(projectRoot, 'docs/operations/scale.md'), 'utf8');
  const line = /^user rewardhook on >\S+ (.*)$/m.exec(document)?.[1];
  if (line === undefined) throw new Error('docs/operations/scale.md has no ACL line');
  return line;
};

const cleanup = openCleanup();
let stack: Stack;
let dataDir: string;
beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  const { key, cert } = selfSigned();
  const files = { key: join(folder.path, 'key.pem'), cert: join(folder.path, 'cert.pem') };
  writeFileSync(files.key, key);
  writeFileSync(files.cert, cert);
  const tlsPort = await freePort();
  const redis = await startRedis({
    dir: join(folder.path, 'redis'),
    args: [
      ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', files.cert, '--tls-key-file', files.key, '--tls-ca-cert-file', files.cert],
      ...['--user', 'rewardhook', 'on', '>a-secret', ...documentedRights().split(' ')],
    ],
  });
  cleanup.add(async () => void (await redis.stop()));
  dataDir = join(folder.path, 'stack');
  stack = await startStack({
    dataDir,
    redisUrl: `rediss://rewardhook:a-secret@localhost:${tlsPort}`,
    env: { NODE_EXTRA_CA_CERTS: files.cert },
  });
  cleanup.add(async () => {
    await stack.stop();
    removeStackData(dataDir);
  });
});
afterAll(() => cleanup.run());

describe('Redis with TLS and a user with the least rights', () => {
  it('All processes are ready, and an order is stored', async () => {
    const { secretKey } = await createMerchant(openAdmin(stack.environment), 'Shop');
    const answer = await callWithRetries(
      stack.apiUrl,
      syncPath,
      { orders: [buildOrder()] },
      { key: secretKey },
    );
    expect(answer.status).toBe(202);
    const isStored = async () => (await readRows(stack.databaseUrl, 'SELECT 1 FROM orders')).length === 1;
    await waitFor(isStored, { deadlineMs: 20_000, what: 'the order' });
  });

  it('A warning says that CONFIG is forbidden, so that the durability of Redis is unknown', () => {
    const lines = readFileSync(join(dataDir, 'logs/api.log'), 'utf8').trim().split('\n');
    const warnings = lines.filter((line) => line.includes('it is unknown whether this Redis persists'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('appendfsync could not be read; make sure that it is always');
    expect(warnings[0]).toContain('NOPERM');
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('The operator of the dashboard can read and pause the queues', async () => {
    const credentials = Buffer.from(`${stack.dashboardUser}:${stack.dashboardPassword}`).toString('base64');
    const headers = { authorization: `Basic ${credentials}` };
    const queues = await fetch(`${stack.dashboardUrl}/api/queues?activeQueue=sync`, { headers });
    expect(queues.status).toBe(200);
    for (const change of ['pause', 'resume']) {
      const { status } = await fetch(`${stack.dashboardUrl}/api/queues/sync/${change}`, {
        method: 'PUT',
        headers,
      });
      expect(status).toBe(200);
    }
  });
});
