import { buildOrder, scaled, startReceiver, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { openConsole } from '../../apps/console/testing/open-console.ts';
import type {
  Answer,
  Browser,
  RunningConsole,
  SignedUpMerchant,
} from '../../apps/console/testing/open-console.ts';
import type { ReplayListRow, WebhookView } from '../../apps/console/src/api-types.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const secondsBetween = 0.4;

describe('The limits of webhooks', () => {
  const cleanup = openCleanup();
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow({ newWebhookSeconds: secondsBetween });
    cleanup.add(() => flow.close());
    const webhookLimits = {
      endpoints: { perMerchant: 7, perHost: 5, newPerUrl: 2 },
      testSeconds: 1,
      replaysAtOnce: 2,
    };
    running = await openConsole(flow.environment, {}, { webhookLimits });
    cleanup.add(() => running.close());
  });
  beforeEach(async () => {
    owner = await running.signUp();
  });
  afterAll(() => cleanup.run());

  const add = (url: string, browser: Browser = owner.browser) =>
    browser.post('/webhooks', { url, event_types: ['reward.issue'] });
  const counts = (answers: { status: number }[], status: number) =>
    answers.filter((answer) => answer.status === status).length;
  const receiver = async (respond: () => number): Promise<Receiver> => {
    const started = await startReceiver({ signingSecret: owner.merchant.signingSecret, respond });
    cleanup.add(() => started.close());
    return started;
  };
  /** First orders of the given number of referred friends: two events for each. */
  async function reward(merchant: Merchant, friends: number): Promise<void> {
    const ids = Array.from({ length: friends }, (_, index) => `friend-${index}`);
    for (const id of ids) await flow.link(merchant, 'ann', id);
    await flow.sync(merchant, ...ids.map((id) => buildOrder({ member_id: id })));
  }

  it('allow a merchant to register a URL once, in any spelling, and few URLs on one host', async () => {
    expect((await add('https://hooks.example.com/a')).status).toBe(201);
    const again = await add('https://HOOKS.example.com.:443/a');
    expect([again.status, again.body.params]).toEqual([
      400,
      { url: expect.stringMatching(/^is already the URL of the webhook whk_\w+$/) },
    ]);
    // Concurrent registrations do not exceed the limit.
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, port) => add(`https://hooks.example.com:${8_440 + port}/${port}`)),
    );
    expect([counts(answers, 201), counts(answers, 400)]).toEqual([4, 4]);
    expect(answers.find(({ status }) => status === 400)?.body.params).toEqual({
      url: 'exceeds the limit of 5 webhooks on the host hooks.example.com',
    });
    const others = await Promise.all(['x', 'y', 'z'].map((name) => add(`https://${name}.example.org/`)));
    expect([counts(others, 201), counts(others, 409)]).toEqual([2, 1]);
    const full = others.find(({ status }) => status === 409);
    expect(full?.body).toMatchObject({
      code: 'conflict',
      message: 'A merchant has at most 7 webhooks. Delete one first.',
    });
  });

  it('apply to the new URL of a webhook too', async () => {
    await add('https://one.example.net/');
    const { id } = (await add('https://two.example.net/')).data as WebhookView;
    const moved = await owner.browser.send('PATCH', `/webhooks/${id}`, { url: 'https://one.example.net' });
    expect(moved.body.params).toEqual({ url: expect.stringContaining('is already the URL of the webhook') });
    const types = await owner.browser.send('PATCH', `/webhooks/${id}`, {
      url: 'https://two.example.net/',
      event_types: ['reward.revoke'],
    });
    expect(types.status).toBe(200);
  });

  it('apply to the operator, who can bypass them', async () => {
    const merchant = owner.merchant.id;
    const options = { merchant, events: 'reward.issue', url: 'https://operator.example.com/' };
    await flow.admin('webhook add', options);
    await expect(flow.admin('webhook add', options)).rejects.toThrow('is already the URL of the webhook');
    expect(await flow.admin('webhook add', { ...options, 'ignore-limits': 'true' })).toMatchObject({
      webhookId: expect.any(String),
    });
  });

  it('allow all merchants together to register few webhooks at one URL until it answers with 2xx', async () => {
    const shared = await receiver(() => 204);
    const merchants = [owner, await running.signUp(), await running.signUp(), await running.signUp()];
    const url = `${shared.url}/shared`;
    const answers = await Promise.all(merchants.map(({ browser }) => add(url, browser)));
    expect([counts(answers, 201), counts(answers, 400)]).toEqual([2, 2]);
    expect(answers.find(({ status }) => status === 400)?.body.params).toEqual({
      url: expect.stringContaining('has never answered with 2xx'),
    });
    const first = answers.findIndex(({ status }) => status === 201);
    const { id } = (answers[first] as Answer).data as WebhookView;
    expect((await merchants[first]?.browser.post(`/webhooks/${id}/test`, {}))?.status).toBe(200);
    const refused = merchants.filter((_, index) => answers[index]?.status === 400);
    for (const { browser } of refused) expect((await add(url, browser)).status).toBe(201);
  });

  it('allow a merchant to send one test event a second', async () => {
    const ok = await receiver(() => 204);
    const { id } = (await add(`${ok.url}/a`)).data as WebhookView;
    const { id: other } = (await add(`${ok.url}/b`)).data as WebhookView;
    const answers = await Promise.all(
      [id, other, id].map((one) => owner.browser.post(`/webhooks/${one}/test`, {})),
    );
    expect([counts(answers, 200), counts(answers, 429)]).toEqual([1, 2]);
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.body.code, refused?.headers['retry-after']]).toEqual(['rate_limited', '1']);
    expect(ok.received).toHaveLength(1);
  });

  it('allow a merchant to have few replays at once', async () => {
    const { id } = (await add('https://replayed.example.com/')).data as WebhookView;
    const range = { states: ['delivered'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
    const start = () =>
      owner.browser.post(`/webhooks/${id}/replays`, { ...range, new_ids: false, per_minute: 1 });
    // A replay that does not end during the test.
    const rows = {
      merchantId: owner.merchant.id,
      states: ['delivered'],
      newIds: false,
      perMinute: 1,
      total: 1,
    };
    const times = { fromTime: new Date(), untilTime: new Date() };
    await flow.database.replay.create({ data: { ...rows, ...times, id: 'rpl_paused', state: 'paused' } });
    const answers = await Promise.all([start(), start(), start()]);
    expect(counts(answers, 201)).toBeGreaterThanOrEqual(1);
    const { id: replayId } = (answers.find(({ status }) => status === 201) as Answer).data as ReplayListRow;
    await flow.database.replay.update({
      where: { merchantId_id: { merchantId: owner.merchant.id, id: replayId } },
      data: { state: 'paused' },
    });
    const refused = await start();
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'At most 2 replays can be running or paused at once. Wait for one to end, or cancel one.',
    ]);
    expect((await owner.browser.post(`/replays/${replayId}/cancel`)).status).toBe(200);
    expect((await start()).status).toBe(201);
  });

  it('allow few requests to a host from all webhooks whose URLs have never answered with 2xx', async () => {
    const stranger = await receiver(() => 404);
    for (const path of ['/a', '/b', '/c', '/d']) await add(stranger.url + path);
    await reward(owner.merchant, 10);
    await waitFor(() => stranger.received.length >= 4);
    const since = Date.now();
    await waitFor(() => stranger.received.length >= 8, { deadlineMs: 10_000, everyMs: 20 });
    // The first request of each webhook goes out at once; those that follow share one rate.
    const seconds = (Date.now() - since) / 1_000;
    expect(seconds).toBeGreaterThan(3 * secondsBetween);
    const most = Math.ceil(seconds / secondsBetween) + 1;
    expect(stranger.received.length - 4).toBeLessThanOrEqual(most);
  });

  it('do not delay the deliveries of a new webhook that answers the first one with 2xx', async () => {
    const ok = await receiver(() => 204);
    await add(`${ok.url}/new`);
    await reward(owner.merchant, 20);
    await waitFor(() => ok.received.length > 0);
    const since = Date.now();
    await waitFor(() => ok.received.length === 40, { deadlineMs: 10_000, everyMs: 10 });
    // At the rate of a new webhook they would take 16 seconds.
    expect(Date.now() - since).toBeLessThan(scaled(4_000));
  });

  it('treat a webhook with another URL as new', async () => {
    const [ok, stranger] = [await receiver(() => 204), await receiver(() => 404)];
    const { id } = (await add(`${ok.url}/mine`)).data as WebhookView;
    await owner.browser.post(`/webhooks/${id}/test`, {});
    const moved = await owner.browser.send('PATCH', `/webhooks/${id}`, { url: `${stranger.url}/theirs` });
    expect(moved.status).toBe(200);
    await reward(owner.merchant, 10);
    await waitFor(() => stranger.received.length > 0);
    const since = Date.now();
    await waitFor(() => stranger.received.length >= 4, { deadlineMs: 10_000, everyMs: 20 });
    expect(Date.now() - since).toBeGreaterThan(2 * secondsBetween * 1_000);
  });
});
