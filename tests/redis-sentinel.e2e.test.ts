import { setTimeout } from 'node:timers/promises';
import { buildOrder, scaled, temporaryFolder, waitFor } from '@rewardhook/testing';
import {
  createMerchant,
  openAdmin,
  removeStackData,
  startRedisSentinel,
  startStack,
} from '@rewardhook/testing/servers';
import type { RedisSentinel, Stack } from '@rewardhook/testing/servers';
import { readRows } from './harness/read-rows.ts';
import { openCleanup } from './harness/cleanup.ts';
import { syncPath } from './harness/call-api.ts';

// As in production: separate processes and built code.
jest.setTimeout(110_000);

const cleanup = openCleanup();
let sentinel: RedisSentinel;
let stack: Stack;
let secretKey: string;
beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  sentinel = await startRedisSentinel({ dir: folder.path });
  cleanup.add(() => sentinel.stop());
  const dataDir = `${folder.path}/stack`;
  stack = await startStack({
    dataDir,
    redisUrl: sentinel.url,
    env: { REDIS_WAIT_REPLICAS: '1', LOG_LEVEL: 'warn' },
  });
  cleanup.add(async () => {
    await stack.stop();
    removeStackData(dataDir);
  });
  ({ secretKey } = await createMerchant(openAdmin(stack.environment), 'Shop'));
});
afterAll(() => cleanup.run());

const acknowledged = new Set<string>();
/** When the last request was accepted, and when it was refused. */
let acceptedAt = 0;
let refusedAt = 0;

/** Sends one request of ten new orders. Returns whether it was accepted. */
async function send(): Promise<boolean> {
  const orders = Array.from({ length: 10 }, () => buildOrder());
  const answer = await fetch(stack.apiUrl + syncPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': secretKey },
    body: JSON.stringify({ orders }),
  });
  await answer.text();
  expect([202, 503]).toContain(answer.status);
  if (answer.status === 503) refusedAt = performance.now();
  else {
    acceptedAt = performance.now();
    for (const { order_id } of orders) acknowledged.add(order_id);
  }
  return answer.status === 202;
}

async function storedIds(): Promise<Set<string>> {
  const rows = await readRows<{ order_id: string }>(stack.databaseUrl, 'SELECT order_id FROM orders');
  return new Set(rows.map(({ order_id }) => order_id));
}

describe('A Redis master behind Sentinel that is killed under load, with REDIS_WAIT_REPLICAS=1', () => {
  it('A replica is promoted, orders are accepted again within 15 s, and no acknowledged order is lost', async () => {
    const before = await sentinel.masterPort();
    const loading = new AbortController();
    const load = Array.from({ length: 8 }, async () => {
      // After a refusal a sender pauses: 503 says that it is sent again later.
      while (!loading.signal.aborted) if (!(await send())) await setTimeout(20);
    });
    await waitFor(() => acknowledged.size > 1_000, { deadlineMs: 30_000, what: 'the load' });

    sentinel.master.kill('SIGKILL');
    const killedAt = performance.now();
    const acknowledgedBefore = acknowledged.size;
    await sentinel.master.exited;
    await waitFor(async () => (await sentinel.masterPort()) !== before, {
      deadlineMs: 15_000,
      what: 'the promotion',
    });
    await waitFor(() => refusedAt > killedAt && acceptedAt > refusedAt, {
      deadlineMs: 15_000,
      what: 'a 202',
    });
    const recoveredMs = acceptedAt - killedAt;
    await waitFor(() => acknowledged.size > acknowledgedBefore + 1_000, {
      deadlineMs: 30_000,
      what: 'the load',
    });
    loading.abort();
    await Promise.all(load);

    const isStored = async () => (await storedIds()).size >= acknowledged.size;
    await waitFor(isStored, { deadlineMs: 30_000, everyMs: 200, what: 'the stored orders' }).catch(
      () => undefined,
    );
    const stored = await storedIds();
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    process.stdout.write(
      `${acknowledged.size} orders acknowledged, ${acknowledgedBefore} of them before the kill, ` +
        `${lost.length} lost; 202 again after ${Math.round(recoveredMs)} ms\n`,
    );
    expect(lost).toEqual([]);
    expect(recoveredMs).toBeLessThan(scaled(15_000));
  });
});
