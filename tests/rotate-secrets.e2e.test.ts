import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { identitySecretContext, openDatabase, openSealer, signingKeyContext } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { addWebhook, createMerchant, removeStackData, startStack } from '@rewardhook/testing/servers';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Admin, Stack } from '@rewardhook/testing/servers';
import type { Receiver } from '@rewardhook/testing';
import { runAdmin } from '@rewardhook/local-stack';
import { sendUntilAccepted } from './harness/service-under-load/load/send-until-accepted.ts';
import type { Traffic } from './harness/service-under-load/load/send-until-accepted.ts';
import { openStackAdmin } from './harness/stack-admin.ts';

// As in production: separate processes, built code, and a rolling restart for each change of SECRETS_KEY.
jest.setTimeout(300_000);

const [old, next] = [0, 1].map(() => randomBytes(32).toString('base64')) as [string, string];
const otherMerchants = 1_500;
const rolled = ['api', 'webhook-delivery-1', 'webhook-delivery-2', 'console'];

describe('Rotating SECRETS_KEY under load', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-rotate-'));
  const keyFile = join(dataDir, 'secrets-key');
  const traffic: Traffic = { accepted: 0, orders: 0, slowestMs: 0 };
  let stack: Stack;
  let database: Database;
  let admin: Admin;
  let receiver: Receiver;
  let merchant: Awaited<ReturnType<typeof createMerchant>>;
  let passed = false;
  const stopping = new AbortController();
  let load: Promise<void>;

  beforeAll(async () => {
    writeFileSync(keyFile, old);
    stack = await startStack({
      dataDir,
      fresh: true,
      workers: { 'webhook-delivery': 2 },
      env: { QUEUE_PREFIX: '{rotate}', LOG_LEVEL: 'warn', SECRETS_KEY: '', SECRETS_KEY_FILE: keyFile },
    });
    admin = openStackAdmin(stack.environment);
    merchant = await createMerchant(admin, 'Shop');
    receiver = await startReceiver({ signingSecret: merchant.signingSecret });
    await addWebhook(admin, merchant.merchantId, `${receiver.url}/hook`);
    database = openDatabase({ url: stack.databaseUrl, poolSize: 2, applicationName: 'test' });
    await createOtherMerchants();
    load = sendOrders();
  });
  afterAll(async () => {
    stopping.abort();
    await load?.catch(() => undefined);
    await receiver?.close();
    await database?.$disconnect();
    await stack?.stop();
    if (passed) removeStackData(dataDir);
    else process.stdout.write(`The data and logs are in ${dataDir}\n`);
  });

  /** Merchants without orders, so that a rotation takes several batches. */
  async function createOtherMerchants(): Promise<void> {
    const sealer = openSealer(old);
    const ids = Array.from({ length: otherMerchants }, (_, index) => `mer_other_${index}`);
    await database.merchant.createMany({
      data: ids.map((id) => ({
        id,
        name: id,
        identitySecret: sealer.seal('ids_x', identitySecretContext(id)),
      })),
    });
    await database.signingKey.createMany({
      data: ids.map((id) => ({
        id: `sgk_${id}`,
        merchantId: id,
        secret: sealer.seal('whsec_x', signingKeyContext(id, `sgk_${id}`)),
        promotedAt: new Date(),
      })),
    });
  }

  /**
   * Links members and sends their first orders until the test ends: two deliveries for each order. The pause leaves the processor
   * to the processes that start.
   */
  async function sendOrders(): Promise<void> {
    const call = (path: string, body: object) =>
      sendUntilAccepted({ url: stack.apiUrl + path, key: merchant.secretKey, body }, traffic);
    for (let member = 0; !stopping.signal.aborted; member += 1) {
      const id = `member-${member}`;
      await call('/api/open/members/link/', { referrer_member_id: 'referrer', referee_member_id: id });
      await call('/api/open/orders/sync/', {
        orders: [buildOrder({ order_id: `order-${member}`, member_id: id })],
      });
      traffic.orders += 1;
      await setTimeout(50);
    }
  }

  /** Restarts one process after the other with another SECRETS_KEY. */
  async function roll(ring: string): Promise<void> {
    writeFileSync(keyFile, ring);
    for (const name of rolled) {
      const before = stack.restarts(name);
      stack.kill(name, 'SIGTERM');
      await waitFor(() => stack.restarts(name) > before, {
        deadlineMs: 20_000,
        what: `a restart of ${name}`,
      });
      await stack.waitUntilReady();
    }
  }
  const deliveredAfter = (count: number) =>
    waitFor(() => receiver.received.length >= count, { deadlineMs: 60_000, what: `${count} webhooks` });
  const more = () => deliveredAfter(receiver.received.length + 20);

  it('loses and fails no delivery, from a ring of the old key to a ring of the new one', async () => {
    await more();
    await roll(`${old},2027:${next}`);
    await more();
    await roll(`2027:${next},${old}`);
    await more();
    // Another operator rotates a signing key at the same time: the merchant uses it after the overlap.
    const [rotation, added] = await Promise.all([
      admin<{ resealed: number; changedMeanwhile: number; unopened: { count: number } }>('secrets', 'rotate'),
      admin<{ signingKeyId: string }>('signing-key', 'rotate', '--merchant', merchant.merchantId),
    ]);
    expect(rotation.unopened.count).toBe(0);
    expect(rotation.resealed).toBe(2 * otherMerchants + 2);
    const status = await admin<{ keys: { id: string; seals: boolean }[]; toReseal: number }>(
      'secrets',
      'status',
    );
    expect(status).toMatchObject({
      keys: [
        { id: '2027', seals: true, identitySecrets: otherMerchants + 1, signingKeys: otherMerchants + 2 },
        { seals: false, identitySecrets: 0, signingKeys: 0 },
      ],
      none: { identitySecrets: 0, signingKeys: 0 },
      toReseal: 0,
    });
    expect(added.signingKeyId).toMatch(/^sgk_/);
    await more();
    await roll(`2027:${next}`);
    await more();
    stopping.abort();
    await load;
    const settled = async () => {
      // Events are counted first: one that is added afterwards would have a delivery that was not counted.
      const events = await database.event.count({ where: { type: 'reward.issue' } });
      const open = await database.delivery.count({ where: { state: 'pending' } });
      return open === 0 && events === 2 * traffic.orders;
    };
    await waitFor(settled, { deadlineMs: 60_000, everyMs: 100, what: 'every delivery' });

    const deliveries = await database.delivery.groupBy({ by: ['state'], _count: true });
    expect(deliveries).toEqual([{ state: 'delivered', _count: 2 * traffic.orders }]);
    expect(await database.attempt.count({ where: { NOT: { status: 204 } } })).toBe(0);
    expect(receiver.received.filter(({ verified }) => !verified)).toEqual([]);
    expect(new Set(receiver.received.map(({ deliveryId }) => deliveryId)).size).toBe(2 * traffic.orders);
    process.stdout.write(
      `${traffic.orders} orders, ${receiver.received.length} webhooks, 0 failed; ${rotation.resealed} secrets resealed; ` +
        `longest wait of a request during 3 rolling restarts ${Math.round(traffic.slowestMs)} ms\n`,
    );
  });

  it('leaves a key that opens nothing, with which no process and no command starts', async () => {
    const { exitCode, stderr } = await runAdmin(
      { ...stack.environment, SECRETS_KEY: old, SECRETS_KEY_FILE: '' },
      ['doctor'],
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('SECRETS_KEY is not the key that the stored secrets were sealed with');
    const entries = await admin<{ entries: { action: string; actor_kind: string }[] }>(
      'audit',
      'list',
      '--action',
      'secrets.rotated',
    );
    expect(entries.entries).toMatchObject([{ action: 'secrets.rotated', actor_kind: 'operator' }]);
    passed = true;
  });
});
