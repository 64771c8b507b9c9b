import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addWebhook,
  buildOrder,
  createMerchant,
  removeStackData,
  startReceiver,
  startStack,
  waitFor,
} from '@rewardhook/local-stack';
import type { Admin, Receiver, Stack, StackMerchant } from '@rewardhook/local-stack';
import { Pool } from 'pg';
import { bootPath, callApi, linkPath, syncPath } from '../harness/call-api.ts';
import { userHashOf } from '../harness/open-merchant.ts';
import { openStackAdmin, runStackAdmin } from '../harness/stack-admin.ts';

// Real processes: keys are cached, and workers know only what is in PostgreSQL.
jest.setTimeout(180_000);

const contact = 'ops@example.com, 02-555-0100';
const reason = 'sends the orders of another shop';

describe('A merchant that the operator has paused', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-pause-'));
  let stack: Stack;
  let sql: Pool;
  let admin: Admin;
  let shop: StackMerchant;
  let other: StackMerchant;
  let receiver: Receiver;
  let webhookId: string;
  beforeAll(async () => {
    stack = await startStack({ dataDir, ports: 'auto' });
    sql = new Pool({ connectionString: stack.databaseUrl });
    admin = openStackAdmin(stack.environment);
    other = await createMerchant(admin, 'Another shop');
  });
  afterAll(async () => {
    await sql?.end();
    await stack?.stop();
    removeStackData(dataDir);
  });
  beforeEach(async () => {
    shop = await createMerchant(admin, 'Paused shop');
    receiver = await startReceiver({ signingSecret: shop.signingSecret });
    webhookId = await addWebhook(admin, shop.merchantId, `${receiver.url}/hook`);
  });
  afterEach(() => receiver.close());

  const post = (path: string, body: unknown, key = shop.secretKey) =>
    callApi(stack.apiUrl, path, body, { key });
  const read = (path: string) =>
    callApi(stack.apiUrl, path, undefined, { key: shop.secretKey, method: 'GET' });
  const pause = (...more: string[]) =>
    admin(
      'merchant',
      'pause',
      '--merchant',
      shop.merchantId,
      '--reason',
      reason,
      '--contact',
      contact,
      ...more,
    );
  const resume = (...more: string[]) =>
    admin<{ pauseReason: string | null }>('merchant', 'resume', '--merchant', shop.merchantId, ...more);
  const testKey = async () => {
    const words = ['key', 'create', '--merchant', shop.merchantId, '--test', '--kind', 'secret'];
    return (await admin<{ key: string }>(...words)).key;
  };
  const link = (referee: string) =>
    post(linkPath, { referrer_member_id: 'jisu', referee_member_id: referee });
  const accepts = (key = shop.secretKey) =>
    waitFor(async () => (await post(syncPath, { orders: [buildOrder()] }, key)).status === 202, {
      what: 'the orders to be accepted',
    });
  const refuses = (key = shop.secretKey) =>
    waitFor(async () => (await post(syncPath, 'no JSON', key)).status === 503, {
      what: 'the pause to be known',
    });
  /** Links a member, and sends an order of theirs that earns both a reward. */
  const reward = async (referee: string) => {
    expect((await link(referee)).status).toBe(201);
    expect((await post(syncPath, { orders: [buildOrder({ member_id: referee })] })).status).toBe(202);
  };
  const deliveries = async () => {
    const { rows } = await sql.query<{ id: string; state: string; attempts: number }>(
      'SELECT id, state, attempts_made AS attempts FROM deliveries WHERE merchant_id = $1 ORDER BY id',
      [shop.merchantId],
    );
    return rows;
  };
  const doctor = async () => {
    const { exitCode, document } = await runStackAdmin(stack.environment, ['doctor']);
    return { exitCode, ...(document as DoctorDocument) };
  };
  interface DoctorDocument {
    clean: boolean;
    promises: { oldest: { merchantId: string; holder: string; number: number }[] };
    merchantsPaused: { merchantId: string; pauseReason: string }[];
  }

  it('gets 503 with a contact and Retry-After before its body is read, on both sides, and can still read', async () => {
    const ofTestSide = await testKey();
    await accepts();
    await accepts(ofTestSide);
    await pause('--only', 'ingest');
    await refuses();
    await refuses(ofTestSide);

    const boot = { user_id: 'ann', user_hash: userHashOf({ identitySecret: shop.identitySecret }, 'ann') };
    for (const refused of [
      await post(syncPath, { orders: [buildOrder()] }),
      await post(linkPath, { nothing: 'valid' }),
      await post(bootPath, boot, shop.publicKey),
    ]) {
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '300',
      ]);
      expect(refused.body.message).toContain(`paused by the operator: ${contact}`);
      expect(refused.body.message).not.toContain(reason);
    }
    expect((await read('/api/open/orders/')).status).toBe(200);
    expect((await read('/api/open/events/')).status).toBe(200);
    expect((await post(syncPath, { orders: [buildOrder()] }, 'svc_sk_unknown')).status).toBe(401);
    expect((await post(syncPath, { orders: [buildOrder()] }, other.secretKey)).status).toBe(202);
    const metrics = await (await fetch(`${stack.healthUrls['api']}/metrics`)).text();
    expect(metrics).toMatch(/rewardhook_requests_refused_total\{reason="paused"\} [1-9]/);
    expect(metrics).not.toContain('reason="unavailable"');

    await resume();
    await accepts();
    await accepts(ofTestSide);
  });

  it('is sent nothing while deliveries are paused: what was accepted is evaluated and waits, and is sent once afterwards', async () => {
    const areDelivered = async () => (await deliveries()).every(({ state }) => state === 'delivered');
    await reward('ann');
    await waitFor(async () => (await deliveries()).length === 2 && (await areDelivered()), {
      what: 'the deliveries before the pause',
    });
    await pause('--only', 'delivery');
    await reward('bob');
    await waitFor(async () => (await deliveries()).length === 4, { what: 'the deliveries' });
    // A webhook that is added now waits too.
    await addWebhook(admin, shop.merchantId, `${receiver.url}/second`);
    await reward('carl');
    await waitFor(async () => (await deliveries()).length === 8, { what: 'the deliveries of both webhooks' });

    const waiting = (await deliveries()).find(({ state }) => state === 'pending');
    const words = ['--merchant', shop.merchantId];
    const retried = await admin('delivery', 'retry', ...words, '--delivery', String(waiting?.id));
    expect(retried).toMatchObject({ due: true, nextAttemptAt: null });
    const tested = await runStackAdmin(stack.environment, [
      'webhook',
      'test',
      ...words,
      '--webhook',
      webhookId,
    ]);
    expect([tested.exitCode, tested.stderr]).toEqual([1, expect.stringContaining(contact)]);
    const test = await post(`/api/open/webhooks/${webhookId}/test/`, {});
    expect([test.status, test.headers.get('retry-after')]).toEqual([503, '300']);
    const delivered = ['--states', 'delivered', '--from', '2026-01-01', '--per-minute', '60000'];
    await admin('replay', 'create', ...words, ...delivered);
    await waitFor(async () => (await deliveries()).every(({ state }) => state === 'pending'), {
      deadlineMs: 30_000,
      what: 'the replay',
    });

    // An hour later it is counted and shown, and no fault.
    await sql.query(
      "UPDATE deliveries SET created_at = created_at - interval '1 hour' WHERE merchant_id = $1",
      [shop.merchantId],
    );
    const held = expect.objectContaining({
      merchantId: shop.merchantId,
      holder: 'operator_paused',
      number: 8,
    });
    // On a busy machine a check may not finish in time, and the next one does.
    const report = await waitFor(
      async () => {
        const { exitCode, ...found } = await doctor();
        return exitCode === 0 && found.promises.oldest.some(({ number }) => number === 8) ? found : undefined;
      },
      { deadlineMs: 60_000, everyMs: 500, what: 'a clean doctor that has counted the promises' },
    );
    expect(report).toMatchObject({
      clean: true,
      promises: { oldest: expect.arrayContaining([held]) },
      merchantsPaused: [{ merchantId: shop.merchantId, pauseReason: reason }],
    });
    const list = await admin<{ merchants: object[] }>('merchant', 'list', '--name', 'Paused');
    expect(list.merchants).toContainEqual(
      expect.objectContaining({ id: shop.merchantId, paused: ['delivery'] }),
    );
    expect(receiver.received).toHaveLength(2);
    expect((await deliveries()).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(2);

    expect(await resume()).toMatchObject({ pauseReason: null, pauseContact: null, deliveryPausedAt: null });
    await waitFor(areDelivered, { deadlineMs: 30_000, what: 'the deliveries' });
    expect((await deliveries()).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(10);
    expect(receiver.received).toHaveLength(10);
  });

  it('is paused with a reason and a contact, by the id of its live side, and the audit has both commands', async () => {
    const run = (...words: string[]) =>
      runStackAdmin(stack.environment, ['merchant', ...words, '--merchant', shop.merchantId]);
    expect((await run('pause', '--reason', reason)).exitCode).toBe(2);
    const withContact = ['--reason', reason, '--contact', contact];
    expect((await run('pause', ...withContact, '--test')).stderr).toContain('both sides');
    expect((await run('pause', ...withContact, '--only', 'nothing')).exitCode).toBe(2);
    await pause('--only', 'delivery');
    const both = (await admin('merchant', 'show', '--merchant', shop.merchantId, '--test')) as {
      merchant: object;
    };
    expect(both.merchant).toMatchObject({ pauseReason: reason, deliveryPausedAt: expect.any(String) });
    await pause();
    await resume('--only', 'ingest');
    expect((await admin('merchant', 'show', '--merchant', shop.merchantId)) as object).toMatchObject({
      merchant: { ingestPausedAt: null, deliveryPausedAt: expect.any(String), pauseContact: contact },
    });
    await resume();
    const { entries } = await admin<{ entries: { action: string; details: object }[] }>(
      ...['audit', 'list', '--merchant', shop.merchantId],
    );
    expect(entries.filter(({ action }) => /paused|resumed/.test(action)).map(({ action }) => action)).toEqual(
      ['merchant.resumed', 'merchant.resumed', 'merchant.paused', 'merchant.paused'],
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ details: { parts: ['delivery'], reason, contact } }),
    );
  });
});
