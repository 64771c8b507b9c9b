import type { Express } from 'express';
import type { Mode } from '@rewardhook/contract';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { createApp } from '../../apps/console/src/app.ts';
import { createRoutes } from '../../apps/console/src/create-routes.ts';
import { goodPassword, openConsole } from '../../apps/console/testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../apps/console/testing/open-console.ts';
import { callWithRetries } from '../harness/call-api.ts';
import { startApi } from '../harness/start-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import { bodiesWith, pathWith, queriesWith } from './calls.ts';
import { rowsOf, textsOf } from './rows-of.ts';
import { onTestSide, openMerchantWithData } from './merchant-with-data.ts';
import type { MerchantIds } from './merchant-with-data.ts';

// Walks over all routes.
jest.setTimeout(120_000);

describe('Separation of merchants', () => {
  let flow: Flow;
  let running: RunningConsole;
  let ownerB: SignedUpMerchant;
  let idsA: MerchantIds;
  let sides: Record<Mode, { owner: SignedUpMerchant; ids: MerchantIds }>;
  /** Every text in A's rows that is not in B's too. */
  let secretsOfA: string[];
  const closes: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    const a = await openMerchantWithData(flow, running, 'aaaa');
    const b = await openMerchantWithData(flow, running, 'bbbb');
    const testA = await openMerchantWithData(flow, running, 'tttt', a.owner);
    sides = { live: a, test: testA };
    closes.push(a.close, b.close, testA.close);
    idsA = a.ids;
    ownerB = b.owner;
    await flow.queues.settled();
    const ofB = new Set(textsOf(await rowsOf(flow.database, b.ids.merchantId)));
    const ofA = textsOf(await rowsOf(flow.database, idsA.merchantId));
    const { secretKey, publicKey, signingSecret } = a.owner.merchant;
    secretsOfA = [...ofA, a.owner.email, secretKey, publicKey, signingSecret].filter(
      (text) => !ofB.has(text),
    );
  }, 90_000);
  afterAll(async () => {
    for (const close of closes) await close();
    await running.close();
    await flow.close();
  });

  /** The secrets of A in a text, without those that B sent in the request. */
  const leaksIn = (text: string, asked: string) =>
    secretsOfA.filter((secret) => text.includes(secret) && !asked.includes(secret));

  it('No route of the console reveals or changes data of another merchant', async () => {
    expect(secretsOfA.length).toBeGreaterThan(50);
    const before = await rowsOf(flow.database, idsA.merchantId);
    const bodies = bodiesWith(idsA, { email: ownerB.email, password: goodPassword });
    const wrong: string[] = [];
    let calls = 0;
    for (const { method, path, body, query, side } of createRoutes(running.dependencies)) {
      const name = `${method} ${path}`;
      if (body && !bodies[name]) throw new Error(`${name} is a new route: add its body to calls.ts`);
      const target = pathWith(path, idsA);
      for (const search of query ? queriesWith(path, idsA) : ['']) {
        const asked = `${target}?${search}`;
        const answer = await ownerB.browser.send(method, asked, body && bodies[name]);
        calls += 1;
        // The live side has no routes of the test side.
        const refused = path.includes(':') || name === 'POST /session/merchant' || side === 'test';
        // That origin has no verification file.
        const unproved = name === 'POST /credentials/origins' && answer.status === 400;
        const right = refused ? answer.status === 404 : answer.status < 300 || unproved;
        if (!right) wrong.push(`${name}?${search} answered ${answer.status}: ${answer.text}`);
        // An echo of the request is no leak; any other text of A is.
        const leaks = leaksIn(answer.text, `${asked} ${JSON.stringify(bodies[name] ?? '')}`);
        if (leaks.length > 0) wrong.push(`${name}?${search} reveals ${leaks.join(', ')}`);
      }
      // It selects the new merchant in the session.
      if (path === '/merchants')
        await ownerB.browser.post('/session/merchant', { merchant_id: ownerB.merchant.id });
      if (path === '/sign-out')
        await ownerB.browser.post('/sign-in', { email: ownerB.email, password: goodPassword });
    }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(100);
    expect(await rowsOf(flow.database, idsA.merchantId)).toEqual(before);
  });

  it.each([
    ['live', 'test'],
    ['test', 'live'],
  ] as const)(
    'No route of the console reveals or changes on the %s side data of the %s side',
    async (called, other) => {
      const { owner } = sides[called];
      const { ids } = sides[other];
      const own = new Set(textsOf(await rowsOf(flow.database, owner.merchant.id)));
      const before = await rowsOf(flow.database, ids.merchantId);
      // Names of fields, states, kinds and actions are words that every merchant's answers have.
      const secrets = textsOf(before).filter((text) => !own.has(text) && !/^[a-z_. ]+$/.test(text));
      expect(secrets.length).toBeGreaterThan(50);
      const bodies = bodiesWith(ids, { email: owner.email, password: goodPassword });
      const wrong: string[] = [];
      for (const { method, path, body, query, side, access } of createRoutes(running.dependencies)) {
        // Users, team and settings belong to both sides.
        if (side === 'merchant' || access === 'public' || (side === 'test' && called === 'live')) continue;
        const name = `${method} ${path}`;
        for (const search of query ? queriesWith(path, ids) : ['']) {
          const asked = `${pathWith(path, ids)}?${search}`;
          const answer = await owner.browser.send(method, asked, body && bodies[name]);
          const unproved = name === 'POST /credentials/origins' && answer.status === 400;
          const right = path.includes(':') ? answer.status === 404 : answer.status < 300 || unproved;
          if (!right) wrong.push(`${name}?${search} answered ${answer.status}: ${answer.text}`);
          const sent = `${asked} ${JSON.stringify(bodies[name] ?? '')}`;
          const leaks = secrets.filter((secret) => answer.text.includes(secret) && !sent.includes(secret));
          if (leaks.length > 0) wrong.push(`${name}?${search} reveals ${leaks.join(', ')}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(await rowsOf(flow.database, ids.merchantId)).toEqual(before);
    },
  );

  it('No user of another merchant reads or changes the test side', async () => {
    const { ids } = sides.test;
    // The calls above have deleted its data, so that it has another id.
    await waitFor(async () => (await flow.database.wipe.count({ where: { finishedAt: null } })) === 0, {
      deadlineMs: 15_000,
      what: 'the deletion',
    });
    const { id: merchantId } = await flow.database.merchant.findUniqueOrThrow({
      where: { liveMerchantId: idsA.merchantId },
    });
    expect(merchantId).not.toBe(ids.merchantId);
    const before = await rowsOf(flow.database, merchantId);
    for (const browser of [ownerB.browser, onTestSide(ownerB.browser)])
      for (const path of [
        `/orders/${ids.orderId}`,
        `/deliveries/${ids.deliveryId}`,
        `/webhooks/${ids.webhookId}`,
      ])
        expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    const selected = await ownerB.browser.post('/session/merchant', { merchant_id: merchantId });
    expect(selected.status).toBe(404);
    const own = await sides.live.owner.browser.post('/session/merchant', { merchant_id: merchantId });
    expect(own.status).toBe(404);
    expect(await rowsOf(flow.database, merchantId)).toEqual(before);
  });

  it('The list of routes contains every route that the console serves', () => {
    const served = pathsOf(createApp(running.dependencies));
    const known = [...new Set(createRoutes(running.dependencies).map(({ path }) => path))];
    expect(served.toSorted()).toEqual([...known, '/{*path}'].toSorted());
  });

  it('No route of the open API reveals or changes data of another merchant', async () => {
    const before = await rowsOf(flow.database, idsA.merchantId);
    const api = await startApi(flow.environment);
    closes.unshift(() => api.close());
    const { secretKey, publicKey } = ownerB.merchant;
    const { orderId, memberId, code, merchantId, eventId } = idsA;
    const foreign = { merchant_id: merchantId, merchantId };
    const order = buildOrder({ order_id: orderId, member_id: memberId });
    const calls: Record<string, () => ReturnType<typeof callWithRetries>> = {
      '/api/open/orders/sync': () =>
        callWithRetries(
          api.url,
          '/api/open/orders/sync/',
          { ...foreign, orders: [order] },
          { key: secretKey },
        ),
      '/api/open/members/boot': () =>
        callWithRetries(
          api.url,
          '/api/open/members/boot/',
          { ...foreign, user_id: 'bbbb-new', referral_code: code },
          { key: publicKey },
        ),
      '/api/open/members/link': () =>
        callWithRetries(
          api.url,
          '/api/open/members/link/',
          { ...foreign, referrer_member_id: memberId, referee_member_id: 'bbbb-fresh' },
          { key: secretKey },
        ),
      '/api/open/members/merge': () =>
        callWithRetries(
          api.url,
          '/api/open/members/merge/',
          {
            ...foreign,
            from_member_id: 'bbbb-fresh',
            into_member_id: 'bbbb-renamed',
            reason: 'another shop',
          },
          { key: secretKey, headers: { 'idempotency-key': 'merge' } },
        ),
      '/api/open/members/move-link': () =>
        callWithRetries(
          api.url,
          '/api/open/members/move-link/',
          {
            ...foreign,
            referrer_member_id: 'bbbb-other',
            referee_member_id: 'bbbb-fresh',
            reason: 'wrong code',
          },
          { key: secretKey, headers: { 'idempotency-key': 'move' } },
        ),
    };
    // A share link and the health of the process belong to no merchant. The others take ids in their paths.
    const open = new Set(['/r/:code', '/health/live', '/health/ready']);
    const reads = [...new Set(pathsOf(api.app))].filter((path) => !open.has(path) && !(path in calls));
    expect(reads.length).toBeGreaterThan(10);
    const reward = await flow.database.reward.findFirstOrThrow({ where: { merchantId } });
    // The order and the member that the requests above have not stored for B too.
    const ids: Record<string, string> = {
      order_id: 'aaaa-other',
      member_id: 'aaaa-referee',
      event_id: eventId,
      reward_id: reward.id,
      referral_id: idsA.referralId,
      webhook_id: idsA.webhookId,
      delivery_id: idsA.deliveryId,
    };
    const reason = 'another shop';
    const posted: Record<string, object> = {
      'webhook_id/test': {},
      'order_id/rewards': { role: 'referee', amount: 1, reason },
      'reward_id/adjust': { amount: 1, reason },
      'reward_id/revoke': { reason },
    };
    const isLeakFree = async (path: string, call: () => ReturnType<typeof callWithRetries>) => {
      const { status, body } = await call();
      const asked = `${orderId} ${memberId} ${code} ${merchantId} ${eventId}`;
      expect([path, leaksIn(JSON.stringify(body), asked)]).toEqual([path, []]);
      return status;
    };
    for (const [path, call] of Object.entries(calls))
      expect([path, (await isLeakFree(path, call)) < 300]).toEqual([path, true]);
    for (const path of reads) {
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'missing');
      expect(filled).not.toContain('missing');
      // Test events and corrections are sent, all else is read.
      const body = posted[path.slice(path.lastIndexOf(':') + 1)];
      const read = () =>
        callWithRetries(api.url, `${filled}/`, body, {
          key: secretKey,
          method: body ? 'POST' : 'GET',
          headers: { 'idempotency-key': filled },
        });
      expect([path, await isLeakFree(path, read)]).toEqual([path, path.includes(':') ? 404 : 200]);
    }
    await flow.queues.settled();
    expect(await rowsOf(flow.database, idsA.merchantId)).toEqual(before);
  });
});

interface Layer {
  route?: { path: string };
  handle?: { stack?: Layer[] };
}

/** The paths that an app has routes for, those of its routers included. */
function pathsOf(app: Express): string[] {
  const inLayers = (layers: Layer[]): string[] =>
    layers.flatMap(({ route, handle }) => (route ? [route.path] : inLayers(handle?.stack ?? [])));
  return inLayers((app as unknown as { router: { stack: Layer[] } }).router.stack);
}
