import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow, startPrivateRedis, syncPath } from '../../../tests/harness/index.ts';
import type { Answer, Flow, Merchant, PrivateRedis } from '../../../tests/harness/index.ts';

/** After a second a command counts as lost; the rest is for a busy machine. */
const firstAnswerMs = 1_500;
const atOnceMs = 100;
/** Far below the second that a request waits that was let through to a frozen Redis. */
const neverMs = 700;

describe('the API when Redis fails', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let shop: Merchant;
  const accepted = new Set<string>();
  const refused = new Set<string>();
  beforeAll(async () => {
    redis = await startPrivateRedis();
    await redis.kill('SIGTERM');
    flow = await startFlow({ workers: false, redisUrl: redis.url, withoutRedis: true });
    shop = await flow.openMerchant();
    // The first request of all also warms the process up.
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

  async function send(): Promise<Answer> {
    const order = buildOrder({ items: [] });
    const answer = await flow.call(syncPath, { orders: [order] }, { key: shop.secretKey });
    (answer.status === 202 ? accepted : refused).add(order.order_id);
    expect([202, 503]).toContain(answer.status);
    return answer;
  }
  function expectRefusal({ status, body, headers }: Answer): void {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    expect(body.request_id).toBe(headers.get('x-request-id'));
  }
  /** Requests one after the other and ten at once, over some time: all are refused, and at once. */
  async function expectRefusalsAtOnce(forMs: number): Promise<void> {
    const burst = await Promise.all(Array.from({ length: 10 }, send));
    const row: Answer[] = [];
    const end = performance.now() + forMs;
    do row.push(await send());
    while (performance.now() < end || row.length < 10);
    for (const answer of [...burst, ...row]) {
      expectRefusal(answer);
      expect(answer.ms).toBeLessThan(neverMs);
    }
    const times = row.map(({ ms }) => ms).toSorted((a, b) => a - b);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(atOnceMs);
  }
  const recovered = () =>
    waitFor(async () => (await send()).status === 202, { deadlineMs: 5_000, what: 'the recovery' });
  async function queued(): Promise<string[]> {
    const jobs = (await waitFor(() => flow.queues.waiting('sync'))) as { orders: { order_id: string }[] }[];
    return jobs.flatMap(({ orders }) => orders).map(({ order_id }) => order_id);
  }
  /** All that was accepted is on the queue, once; of what was refused, only what may be. */
  async function expectQueueToAgree(maybe = new Set<string>()): Promise<void> {
    const ids = await queued();
    expect(ids.filter((id) => refused.has(id) && !maybe.has(id))).toEqual([]);
    expect(ids.filter((id) => accepted.has(id)).toSorted()).toEqual([...accepted].toSorted());
  }

  it('is refused at once when it was down at boot, and recovers when it comes', async () => {
    await expectRefusalsAtOnce(200);
    const health = await fetch(`${flow.url}/health/ready`);
    // Nothing more: why is for operators.
    expect([health.status, (await health.json()) as unknown]).toEqual([503, { status: 'unavailable' }]);
    expect((await fetch(`${flow.url}/health/live`)).status).toBe(200);
    await redis.start();
    await recovered();
    await expectQueueToAgree();
    expect((await fetch(`${flow.url}/health/ready`)).status).toBe(200);
  });

  it('is refused at once when it was killed; what was accepted before is still there', async () => {
    for (let i = 0; i < 20; i += 1) await send();
    await redis.kill('SIGKILL');
    const first = await send();
    expectRefusal(first);
    expect(first.ms).toBeLessThan(firstAnswerMs);
    await expectRefusalsAtOnce(300);
    await redis.start();
    await recovered();
    await expectQueueToAgree();
  });

  it('loses nothing that was accepted when it is killed under load', async () => {
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
    // A command on its way when Redis died may have got in without its answer getting out.
    const ids = await queued();
    const phantoms = ids.filter((id) => refused.has(id));
    expect(phantoms.length).toBeLessThanOrEqual(8);
    for (const id of phantoms) maybe.add(id);
    await expectQueueToAgree(maybe);
    for (const id of maybe) refused.delete(id);
  });

  it('is refused after a second when it freezes, then at once for as long as it is frozen', async () => {
    await redis.kill('SIGSTOP');
    const inFlight = await Promise.all([send(), send(), send()]);
    for (const answer of inFlight) {
      expectRefusal(answer);
      expect(answer.ms).toBeLessThan(firstAnswerMs);
    }
    const maybe = new Set([...refused].slice(-3));
    await expectRefusalsAtOnce(1_500);
    await redis.kill('SIGCONT');
    await recovered();
    await expectQueueToAgree(maybe);
  });

  it('is refused when it is a read-only replica', async () => {
    await redis.send('REPLICAOF', '127.0.0.1', 1);
    await expectRefusalsAtOnce(200);
    await redis.send('REPLICAOF', 'NO', 'ONE');
    await recovered();
    await expectQueueToAgree();
  });

  it('is refused when it is nearly full, so that workers can still drain it', async () => {
    const info = String(await redis.send('INFO', 'memory'));
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    await redis.send('CONFIG', 'SET', 'maxmemory', Math.round(used * 1.1));
    await waitFor(async () => (await send()).status === 503, { deadlineMs: 2_000 });
    await expectRefusalsAtOnce(200);
    expect(await redis.send('SET', 'room-for-workers', 'yes')).toBe('OK');
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
    await recovered();
    await expectQueueToAgree();
  });

  it('is refused when it is full', async () => {
    await redis.send('CONFIG', 'SET', 'maxmemory', 1_000_000);
    await expectRefusalsAtOnce(200);
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
    await recovered();
    await expectQueueToAgree();
  });

  it('still tells a wrong key and a wrong body apart while it is away', async () => {
    await redis.kill('SIGTERM');
    expect((await flow.call(syncPath, { orders: [buildOrder()] })).body.code).toBe('invalid_api_key');
    expect((await flow.call(syncPath, { orders: [buildOrder()] }, { key: shop.publicKey })).body.code).toBe(
      'secret_key_required',
    );
    expect((await flow.call(syncPath, {}, { key: shop.secretKey })).body.code).toBe('invalid_request');
    await redis.start();
    await recovered();
    await expectQueueToAgree();
  });
});
