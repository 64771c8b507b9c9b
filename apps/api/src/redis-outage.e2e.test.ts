import { randomBytes } from 'node:crypto';
import { buildItem, buildOrder, scaled, waitFor } from '@rewardhook/testing';
import { callApi, syncPath } from '../../../tests/harness/call-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import type { Answer } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';

/** A command times out after a second. The remaining time allows for a busy machine. */
const firstAnswerMs = 1_500;
const atOnceMs = 100;
/** About 50 KB, of which 30 remain when they are compressed: random names. */
const bigItems = Array.from({ length: 200 }, () =>
  buildItem({ product_name: randomBytes(90).toString('base64') }),
);

describe('the API during an outage of Redis', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let merchant: Merchant;
  const accepted = new Set<string>();
  const refused = new Set<string>();
  beforeAll(async () => {
    redis = await startPrivateRedis();
    await redis.kill('SIGTERM');
    flow = await startFlow({ workers: false, redisUrl: redis.url, withoutRedis: true });
    merchant = await flow.openMerchant();
    // The first request also warms up the process.
    expectRefusal(await send());
  });
  afterEach(async () => {
    await redis.kill('SIGCONT');
    await redis.send('REPLICAOF', 'NO', 'ONE');
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
  });
  afterAll(async () => {
    await flow.close();
    await redis.remove();
  });

  /** Small and big requests alternate: they have connections to Redis of their own. */
  async function send(): Promise<Answer> {
    const isBig = (accepted.size + refused.size) % 2 === 1;
    const order = buildOrder({ items: isBig ? bigItems : [] });
    const answer = await callApi(flow.url, syncPath, { orders: [order] }, { key: merchant.secretKey });
    (answer.status === 202 ? accepted : refused).add(order.order_id);
    expect([202, 503]).toContain(answer.status);
    return answer;
  }
  function expectRefusal({ status, body, headers }: Answer): void {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    expect(body.request_id).toBe(headers.get('x-request-id'));
  }
  async function readiness(): Promise<number> {
    return (await fetch(`${flow.url}/health/ready`)).status;
  }
  /**
   * Once the API knows of the outage, sends requests one after the other for some time. All must be refused, and at once: a pause of the
   * machine delays one of these, a command that waits for Redis each of them.
   */
  async function expectRefusalsAtOnce(forMs: number): Promise<void> {
    await waitFor(async () => (await readiness()) === 503, { what: 'the API to know of the outage' });
    const answers: Answer[] = [];
    const end = performance.now() + forMs;
    do answers.push(await send());
    while (performance.now() < end || answers.length < 10);
    for (const answer of answers) expectRefusal(answer);
    const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(scaled(atOnceMs));
  }
  const recovered = () =>
    waitFor(async () => (await send()).status === 202, { deadlineMs: 5_000, what: 'the recovery' });
  async function queued(): Promise<string[]> {
    const jobs = (await waitFor(() => flow.queues.waiting('sync'))) as { orders: { order_id: string }[] }[];
    return jobs.flatMap(({ orders }) => orders).map(({ order_id }) => order_id);
  }
  /** Every accepted order is in the queue once, and no refused one except those in `maybe`. */
  async function expectAcceptedOrdersOnQueue(maybe = new Set<string>()): Promise<void> {
    const ids = await queued();
    expect(ids.filter((id) => refused.has(id) && !maybe.has(id))).toEqual([]);
    expect(ids.filter((id) => accepted.has(id)).toSorted()).toEqual([...accepted].toSorted());
  }

  it('While Redis is down from the start, requests are refused at once; they are accepted when it is up', async () => {
    await expectRefusalsAtOnce(200);
    const health = await fetch(`${flow.url}/health/ready`);
    // Only the status: the reason is for operators.
    expect([health.status, (await health.json()) as unknown]).toEqual([503, { status: 'unavailable' }]);
    expect((await fetch(`${flow.url}/health/live`)).status).toBe(200);
    await redis.start();
    await recovered();
    await expectAcceptedOrdersOnQueue();
    expect(await readiness()).toBe(200);
  });

  it('After Redis was killed, requests are refused at once, and the accepted orders are still queued', async () => {
    for (let i = 0; i < 20; i += 1) await send();
    await redis.kill('SIGKILL');
    const first = await send();
    expectRefusal(first);
    expect(first.ms).toBeLessThan(scaled(firstAnswerMs));
    await expectRefusalsAtOnce(300);
    await redis.start();
    await recovered();
    await expectAcceptedOrdersOnQueue();
  });

  it('No accepted order is lost when Redis is killed under load', async () => {
    const enough = new AbortController();
    const clients = Array.from({ length: 8 }, async () => {
      while (!enough.signal.aborted) await send();
    });
    const before = accepted.size;
    await waitFor(() => accepted.size > before + 40);
    const maybe = new Set<string>();
    await redis.kill('SIGKILL');
    const refusedSoFar = refused.size;
    await waitFor(() => refused.size > refusedSoFar + 20);
    enough.abort();
    await Promise.all(clients);
    await redis.start();
    await recovered();
    // A command that was in flight when Redis was killed may have been executed without a response.
    const ids = await queued();
    const unconfirmed = ids.filter((id) => refused.has(id));
    expect(unconfirmed.length).toBeLessThanOrEqual(8);
    for (const id of unconfirmed) maybe.add(id);
    await expectAcceptedOrdersOnQueue(maybe);
    for (const id of maybe) refused.delete(id);
  });

  it('When Redis freezes, requests in flight are refused after a second, and later ones at once', async () => {
    await redis.kill('SIGSTOP');
    const inFlight = await Promise.all([send(), send(), send()]);
    for (const answer of inFlight) {
      expectRefusal(answer);
      expect(answer.ms).toBeLessThan(scaled(firstAnswerMs));
    }
    const maybe = new Set([...refused].slice(-3));
    await expectRefusalsAtOnce(1_500);
    await redis.kill('SIGCONT');
    await recovered();
    await expectAcceptedOrdersOnQueue(maybe);
  });

  it('Requests are refused while Redis is a read-only replica', async () => {
    await redis.send('REPLICAOF', '127.0.0.1', 1);
    await expectRefusalsAtOnce(200);
    await redis.send('REPLICAOF', 'NO', 'ONE');
    await recovered();
    await expectAcceptedOrdersOnQueue();
  });

  it('Requests are refused when Redis is nearly full, so that workers can still empty the queue', async () => {
    const info = String(await redis.send('INFO', 'memory'));
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    await redis.send('CONFIG', 'SET', 'maxmemory', Math.round(used * 1.1));
    await waitFor(async () => (await send()).status === 503, { deadlineMs: 2_000 });
    await expectRefusalsAtOnce(200);
    expect(await redis.send('SET', 'room-for-workers', 'yes')).toBe('OK');
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
    await recovered();
    await expectAcceptedOrdersOnQueue();
  });

  it('Requests are refused when Redis is full', async () => {
    await redis.send('CONFIG', 'SET', 'maxmemory', 1_000_000);
    await expectRefusalsAtOnce(200);
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
    await recovered();
    await expectAcceptedOrdersOnQueue();
  });

  it('An invalid key and an invalid body get their own errors while Redis is down', async () => {
    await redis.kill('SIGTERM');
    expect((await callApi(flow.url, syncPath, { orders: [buildOrder()] })).body.code).toBe('invalid_api_key');
    expect(
      (await callApi(flow.url, syncPath, { orders: [buildOrder()] }, { key: merchant.publicKey })).body.code,
    ).toBe('secret_key_required');
    expect((await callApi(flow.url, syncPath, {}, { key: merchant.secretKey })).body.code).toBe(
      'invalid_request',
    );
    await redis.start();
    await recovered();
    await expectAcceptedOrdersOnQueue();
  });
});
