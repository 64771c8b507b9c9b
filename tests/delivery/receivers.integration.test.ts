import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { countPromises, listOpenPromises } from '@rewardhook/database/operations';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('A raw receiver', () => {
  interface Attempt {
    number: number;
    status: number | null;
    error: string | null;
    warning: string | null;
    retried_on_new_connection: boolean;
    ignored: boolean;
  }

  let merchant: Merchant;
  let server: Server | undefined;
  /** Deliveries of the merchant. */
  let expected: number;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    expected = 0;
  });
  afterEach(() => {
    server?.close();
    for (const socket of sockets) socket.destroy();
  });

  /** Registers a server that does this with each request; `request` counts those of the connection, from 1. */
  async function receive(answer: (socket: Socket, request: number) => void): Promise<string[]> {
    const attempts: string[] = [];
    const listening = (server = createTcpServer((socket) => {
      sockets.add(socket);
      let request = 0;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const number = /x-service-attempt: (\d+)/i.exec(chunk.toString())?.[1];
        if (number === undefined) return;
        attempts.push(number);
        answer(socket, ++request);
      });
    }));
    await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
    return attempts;
  }

  async function get<Data>(path: string): Promise<Data> {
    const { body } = await flow.call(`/api/open/${path}`, undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data as Data;
  }

  /** Earns both rewards of an order, and returns the attempts of their deliveries once they are delivered. */
  async function deliver(friend: string): Promise<{ attempts: Attempt[]; orderId: string }> {
    await flow.link(merchant, 'ann', friend);
    const order = buildOrder({ member_id: friend });
    await flow.sync(merchant, order);
    const find = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
    expected += 2;
    await waitFor(
      async () => (await find()).filter(({ state }) => state === 'delivered').length === expected,
      { deadlineMs: 15_000 },
    );
    const all = await Promise.all(
      (await find()).map(({ id }) => get<{ attempts: Attempt[] }>(`deliveries/${id}/`)),
    );
    return { attempts: all.flatMap(({ attempts }) => attempts), orderId: order.order_id };
  }

  it('that answers 204 with a body and an endless 200 has received the events: each attempt has a warning', async () => {
    let answered = 0;
    await receive((socket) =>
      socket.write(
        ++answered === 1
          ? 'HTTP/1.1 204 No Content\r\n\r\nok'
          : 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
      ),
    );
    const { attempts, orderId } = await deliver('bob');
    expect(attempts.map(({ status }) => String(status)).sort()).toEqual(['200', '204']);
    expect(attempts.map(({ error }) => error)).toEqual([null, null]);
    expect(attempts.map(({ warning }) => String(warning)).sort()).toEqual([
      expect.stringMatching(/Parse Error/),
      'the body did not end within 2000 ms',
    ]);
    const { timeline } = await get<{ timeline: { what: string; warning?: string }[] }>(
      `orders/${orderId}/explain/`,
    );
    const warned = timeline.filter(({ what, warning }) => what === 'attempt' && warning !== undefined);
    expect(warned).toHaveLength(2);
  });

  it('that resets its connections between two requests costs no attempt: the request is sent once more', async () => {
    const requests = await receive((socket, request) => {
      if (request === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      else socket.resetAndDestroy();
    });
    await deliver('bob');
    const { attempts } = await deliver('carl');
    expect(attempts.map(({ number, status }) => [number, status])).toEqual(Array(4).fill([1, 200]));
    expect(attempts.some((attempt) => attempt.retried_on_new_connection)).toBe(true);
    expect(new Set(requests)).toEqual(new Set(['1']));
    expect(requests.length).toBeGreaterThan(4);
  });

  it('that answers with "ignored": true has ignored the event, and one that does not has not', async () => {
    let answered = 0;
    await receive((socket) => {
      const body = ++answered === 1 ? '{"ignored": true}' : '{}';
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const { attempts } = await deliver('bob');
    expect(attempts.map(({ ignored }) => String(ignored)).sort()).toEqual(['false', 'true']);
  });
});

describe('A receiver', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const deliveries = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
  const states = async () => (await deliveries()).map(({ state }) => state).sort();
  const endpoint = () => flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } });

  /** A referred friend's first order: one event for each side. */
  async function reward(friend: string): Promise<void> {
    await flow.link(merchant, 'ann', friend);
    await flow.sync(merchant, buildOrder({ member_id: friend }));
  }

  it('that answers 410 gets no more requests: deliveries are held, and sent when the webhook is enabled again', async () => {
    let status = 410;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward('bob');
    await waitFor(async () => (await states()).join() === 'held,held', { deadlineMs: 15_000 });
    expect(await endpoint()).toMatchObject({ disabledReason: { code: 'receiver_gone', parameters: {} } });
    await reward('carl');
    await waitFor(async () => (await states()).length === 4, { deadlineMs: 15_000 });
    expect(await states()).toEqual(['held', 'held', 'held', 'held']);

    status = 204;
    const before = hook.received.length;
    await flow.admin('webhook enable', { merchant: merchant.id, webhook: (await endpoint()).id });
    await waitFor(async () => (await states()).every((state) => state === 'delivered'), {
      deadlineMs: 15_000,
    });
    expect(hook.received.length - before).toBe(4);
    expect(hook.received.every(({ verified }) => verified)).toBe(true);
  });

  it('that answers with Retry-After gets no request for that time, for any delivery of the endpoint', async () => {
    let calls = 0;
    const server = createServer((request, response) => {
      calls += 1;
      request.resume();
      response.writeHead(503, { 'retry-after': '3600' }).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
    await reward('bob');
    await waitFor(async () => (await endpoint()).sendAfter !== null, { deadlineMs: 15_000 });
    const backoffMs = Number((await endpoint()).sendAfter) - Date.now();
    expect(backoffMs).toBeGreaterThan(3_500_000);
    expect(backoffMs).toBeLessThanOrEqual(3_600_000);

    await flow.queues.settled();
    const callsSoFar = calls;
    await reward('carl');
    await waitFor(async () => (await deliveries()).length === 4, { deadlineMs: 15_000 });
    const waiting = (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 0);
    expect(waiting.length).toBeGreaterThanOrEqual(2);
    expect(calls).toBe(callsSoFar);
    await new Promise((resolve) => server.close(resolve));
  });

  it('of a deleted webhook gets no more requests: deliveries that were due are cancelled', async () => {
    await flow.receiver(merchant, 'reward.issue', { respond: () => 500 });
    await reward('bob');
    await waitFor(async () => (await deliveries()).some(({ attemptsMade }) => attemptsMade > 0), {
      deadlineMs: 15_000,
    });
    await flow.admin('webhook delete', { merchant: merchant.id, webhook: (await endpoint()).id });
    expect(await states()).toEqual(['cancelled', 'cancelled']);
  });
});

describe('Expired events', () => {
  it('are cancelled without being sent and do not delay the deliveries behind them', async () => {
    const merchant = await flow.openMerchant();
    const hook = await flow.receiver(merchant, 'reward.issue');
    const { id: endpointId } = await flow.database.endpoint.findFirstOrThrow({
      where: { merchantId: merchant.id },
    });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    // The state after an outage: a thousand expired events have waited longer than one that has not expired.
    const waits = Array.from({ length: 1_001 }, (_, n) => ({ eventId: `evt_${n}`, expired: n < 1_000 }));
    await flow.database.event.createMany({
      data: waits.map(({ eventId, expired }) => ({
        merchantId: merchant.id,
        id: eventId,
        type: 'reward.issue',
        body: JSON.stringify({ id: eventId }),
        createdAt: anHourAgo,
        ...(expired ? { expiresAt: anHourAgo } : {}),
      })),
    });
    await flow.database.delivery.createMany({
      data: waits.map(({ eventId, expired }) => ({
        id: randomUUID(),
        merchantId: merchant.id,
        eventId,
        eventCreatedAt: anHourAgo,
        endpointId,
        nextAttemptAt: expired ? anHourAgo : new Date(),
      })),
    });

    await hook.waitFor(({ rawBody }) => rawBody.includes('evt_1000'), 15_000);
    expect(hook.received).toHaveLength(1);
    expect(
      await flow.database.delivery.count({ where: { merchantId: merchant.id, state: 'cancelled' } }),
    ).toBe(1_000);
  });
});

describe('The promise to deliver a reward', () => {
  const openPromises = async ({ id }: Merchant) => {
    await countPromises(flow.database);
    const open = await listOpenPromises(flow.database, 100);
    return open.filter(({ merchantId }) => merchantId === id).map(({ holder, number }) => [holder, number]);
  };

  /** Gives the rewards of one referral: two. */
  async function reward(merchant: Merchant): Promise<void> {
    await flow.link(merchant, 'jisu', 'minsu');
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'A-1', member_id: 'minsu' }));
    await waitFor(
      async () => (await flow.database.event.count({ where: { merchantId: merchant.id } })) === 2,
      {
        what: 'both rewards',
      },
    );
  }

  it('is open while its webhook fails, and a failed test event is none', async () => {
    const merchant = await flow.openMerchant();
    let status = 500;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward(merchant);
    const endpoint = await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } });
    await flow.admin('webhook test', { merchant: merchant.id, webhook: endpoint.id });
    expect(await openPromises(merchant)).toEqual([['sending', 2]]);

    status = 200;
    await flow.database.delivery.updateMany({
      where: { merchantId: merchant.id, state: 'pending' },
      data: { nextAttemptAt: new Date() },
    });
    await waitFor(async () => (await openPromises(merchant)).length === 0, {
      deadlineMs: 20_000,
      everyMs: 200,
      what: 'both deliveries',
    });
    expect(hook.received.length).toBeGreaterThan(2);
  });

  it('is open without a webhook, and is not for a merchant that declares that it uses the feed and reads it', async () => {
    const merchant = await flow.openMerchant();
    await reward(merchant);
    expect(await openPromises(merchant)).toEqual([['no_webhook', 2]]);

    await flow.admin('merchant update', { merchant: merchant.id, 'uses-feed': 'true' });
    expect(await openPromises(merchant)).toEqual([['no_webhook', 2]]);
    const answer = await flow.call('/api/open/events/', undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    expect(answer.status).toBe(200);
    await waitFor(async () => (await openPromises(merchant)).length === 0, {
      what: 'the reading of the feed',
    });
  });

  it('ends when the reward is revoked', async () => {
    const merchant = await flow.openMerchant();
    await reward(merchant);
    const cancelled = new Date().toISOString();
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'A-1', member_id: 'minsu', cancelled_at: cancelled }),
    );
    await waitFor(async () => (await openPromises(merchant)).length === 0, { what: 'the revocation' });
  });
});

describe('The order of events', () => {
  interface FeedEvent {
    type: string;
    created_at: string;
    data: { reward: { id: string } };
  }

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  /** Locks the referral's row until `release`. */
  async function lockReferral(id: string): Promise<() => Promise<void>> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const done = flow.database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM referrals WHERE id = ${id} FOR UPDATE`;
      locked();
      await released;
    });
    await isLocked;
    return async () => {
      release();
      await done;
    };
  }

  async function listFeedPage(): Promise<FeedEvent[]> {
    const { body } = await flow.call('/api/open/events/', undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data['events'] as FeedEvent[];
  }

  it('is correct when the transaction of a revocation began before that of its issue', async () => {
    const members = ['bob', 'cat', 'dan'];
    for (const member of members) await flow.link(merchant, 'ann', member);
    // Evaluations lock the referrals of their orders in the order of their ids.
    const [early, middle, late] = await flow.database.referral.findMany({
      where: { merchantId: merchant.id },
      orderBy: { id: 'asc' },
    });
    const order = (referral: typeof early, paid: boolean, more: object = {}) =>
      buildOrder({
        member_id: referral?.refereeMemberId as string,
        ...(paid ? {} : { paid_at: null }),
        ...more,
      });
    const paid = order(late, true);

    const releaseEarly = await lockReferral(early?.id as string);
    // Its transaction begins here and waits for the lock.
    await flow.sync(merchant, order(early, false), { ...paid, paid_at: null });
    await waitForLocks(flow.database, 1);
    await flow.sync(merchant, paid);
    const issued = () =>
      flow.database.event.count({ where: { merchantId: merchant.id, type: 'reward.issue' } });
    await waitFor(async () => (await issued()) === 2);
    const releaseMiddle = await lockReferral(middle?.id as string);
    await flow.sync(merchant, order(middle, false), { ...paid, cancelled_at: paid.order_date });
    await waitForLocks(flow.database, 2);
    // The first transaction reads the cancelled order.
    await releaseEarly();
    const revoked = () =>
      flow.database.event.count({ where: { merchantId: merchant.id, type: 'reward.revoke' } });
    await waitFor(async () => (await revoked()) === 2);
    await releaseMiddle();
    await flow.queues.settled();

    const feed = await listFeedPage();
    expect(feed.map(({ type }) => type)).toEqual([
      'reward.issue',
      'reward.issue',
      'reward.revoke',
      'reward.revoke',
    ]);
    expect(feed.map(({ created_at }) => created_at)).toEqual(feed.map(({ created_at }) => created_at).sort());
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    for (const { createdAt, confirmedAt, endedAt } of rewards)
      expect([createdAt, confirmedAt, endedAt]).toEqual(
        [createdAt, confirmedAt, endedAt].toSorted((a, b) => Number(a) - Number(b)),
      );
    expect(await outOfOrder()).toEqual([0, 0]);
  });

  it('is correct, like their times, when the clock of the database is set back by an hour', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const paid = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, paid);
    // Simulates a clock that was an hour fast during the first evaluation.
    const where = { merchantId: merchant.id };
    const fast = new Date(Date.now() + 3_600_000);
    await flow.database.decision.updateMany({ where, data: { createdAt: fast } });
    await flow.database.event.updateMany({ where, data: { createdAt: fast } });
    await flow.database.reward.updateMany({ where, data: { createdAt: fast, confirmedAt: fast } });
    await flow.syncAndSettle(merchant, { ...paid, returned_at: paid.order_date });
    await flow.syncAndSettle(merchant, paid);
    const issue = ['reward.issue', 'reward.issue'];
    expect((await listFeedPage()).map(({ type }) => type)).toEqual([
      ...issue,
      'reward.revoke',
      'reward.revoke',
      ...issue,
    ]);
    expect(await outOfOrder()).toEqual([0, 0]);
    const timeline = await explain(paid.order_id);
    const [given, revoked] = ['reward_given', 'reward_revoked'];
    expect(timeline.filter((what) => ['event', given, revoked].includes(what))).toEqual(
      [given, revoked, given].flatMap((what) => [what, what, 'event', 'event']),
    );
  });

  it('is checked by doctor, which counts a revocation before its issue and a reward that ended before it began', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const paid = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, paid);
    await flow.syncAndSettle(merchant, { ...paid, returned_at: paid.order_date });
    const where = { merchantId: merchant.id, type: 'reward.revoke' };
    const [event] = await flow.database.event.findMany({ where });
    const early = new Date(Date.now() - 600_000);
    await flow.database.event.updateMany({ where: { id: event?.id as string }, data: { createdAt: early } });
    await flow.database.reward.updateMany({
      where: { id: event?.rewardId as string },
      data: { endedAt: early },
    });
    expect(await outOfOrder()).toEqual([1, 1]);
  });

  async function outOfOrder(): Promise<unknown[]> {
    const { faults } = await flow.admin('doctor', {});
    const { eventsOutOfOrder, timesOutOfOrder } = faults as Record<string, number>;
    return [eventsOutOfOrder, timesOutOfOrder];
  }

  async function explain(orderId: string): Promise<string[]> {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return (body.data['timeline'] as { what: string }[]).map(({ what }) => what);
  }
});
