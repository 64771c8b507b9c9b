import { openSealer } from '@rewardhook/database';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { openFeedCursors } from './feed-cursor.ts';

const path = '/api/open/events/';
let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

interface Page {
  events: { id: string; type: string; data: { member_id: string } }[];
  next: string;
  has_more: boolean;
}

const get = (query = '', key = merchant.secretKey) =>
  flow.call(path + query, undefined, { method: 'GET', key });
const read = async (query = '', owner = merchant): Promise<Page> => {
  const { status, body } = await get(query, owner.secretKey);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data as unknown as Page;
};

/** Sends the first order of a referee: a reward for each side. */
async function reward(friend: string, owner = merchant) {
  await flow.link(owner, 'ann', friend);
  const order = buildOrder({ member_id: friend });
  await flow.syncAndSettle(owner, order);
  return order;
}

describe('GET /api/open/events/', () => {
  it('The feed has the same bytes as webhooks, in consecutive pages', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    for (const friend of ['bob', '칼 "C"', 'dan']) await reward(friend);
    const sent = hook.received.map(({ rawBody }) => rawBody.toString('utf8'));
    expect(sent).toHaveLength(6);
    const bodies: string[] = [];
    let query = '?limit=4';
    for (const size of [4, 2]) {
      const response = await fetch(`${flow.url}${path}${query}`, {
        headers: { 'x-service-key': merchant.secretKey },
      });
      const text = await response.text();
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const { events, next, has_more } = (JSON.parse(text) as { data: Page }).data;
      expect([events.length, has_more]).toEqual([size, size === 4]);
      const found = sent.filter((body) => text.includes(body));
      expect(found).toHaveLength(size);
      expect(text.length).toBe(
        `{"data":{"events":[${found.join(',')}],"next":"${next}","has_more":${has_more}}}`.length,
      );
      bodies.push(...found);
      query = `?limit=4&after=${encodeURIComponent(next)}`;
    }
    expect(new Set(bodies)).toEqual(new Set(sent));
  });

  it('An empty page returns the cursor that was sent, and later events follow it', async () => {
    const empty = await read();
    expect(empty).toMatchObject({ events: [], has_more: false });
    expect(await read(`?after=${empty.next}`)).toEqual(empty);
    await reward('bob');
    const page = await read(`?after=${empty.next}`);
    expect(page.events).toHaveLength(2);
    expect(await read(`?after=${page.next}`)).toEqual({ events: [], next: page.next, has_more: false });
  });

  it('A merchant without webhooks can read the feed, with and without a slash at the end of the path', async () => {
    await reward('bob');
    const { events } = await read();
    expect(events.map(({ data }) => data.member_id).sort()).toEqual(['ann', 'bob']);
    const bare = await flow.call('/api/open/events?limit=1', undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    expect([bare.status, (bare.body.data as unknown as Page).has_more]).toEqual([200, true]);
  });

  it('Forged cursors, cursors of other merchants and invalid parameters are refused by name', async () => {
    const other = await flow.openMerchant();
    const { next } = await read();
    const cursors = openFeedCursors(openSealer(flow.environment.secretsKey));
    const start = { position: 0, fingerprint: '0' };
    expect(cursors.read(merchant.id, next)).toEqual(start);
    const wrong = [
      (await read('', other)).next,
      cursors.write(other.id, start),
      openFeedCursors(openSealer(Buffer.alloc(32).toString('base64'))).write(merchant.id, start),
      flow.sealer.seal('3', { merchantId: merchant.id, purpose: 'feed-cursor' }),
      `${next.slice(0, -8)}AAAAAAAA`,
      '0',
      'x'.repeat(5_000),
    ];
    for (const cursor of wrong) {
      const { status, body } = await get(`?after=${encodeURIComponent(cursor)}`);
      expect([status, body.code, Object.keys(body.params ?? {})]).toEqual([
        400,
        'invalid_request',
        ['after'],
      ]);
    }
    const { body } = await get('?after=1&limit=0&types=reward.issue,nothing&unknown=1');
    expect(Object.keys(body.params ?? {})).toEqual(['after', 'limit', 'types', 'unknown']);
    for (const query of ['?limit=1001', '?limit=1.5', '?limit=1&limit=2', '?types=,'])
      expect((await get(query)).status).toBe(400);
  });

  it('A cursor that is newer than the stored events gets cursor_expired, and a start at a time works', async () => {
    const { next: start } = await read();
    await reward('bob');
    const { next } = await read();
    await flow.database.event.deleteMany({ where: { merchantId: merchant.id } });
    await flow.database.merchant.update({
      where: { id: merchant.id },
      data: { feedPosition: 0, feedFingerprint: 0 },
    });
    await reward('bea');
    expect(await get(`?after=${encodeURIComponent(next)}`)).toMatchObject({
      status: 410,
      body: { code: 'cursor_expired', message: expect.stringContaining('without it') },
    });
    expect((await read(`?after=${encodeURIComponent(start)}`)).events).toHaveLength(2);
    const anHour = 3_600_000;
    const since = (ms: number) => `?since=${new Date(Date.now() + ms).toISOString()}`;
    expect((await read(since(-anHour))).events).toHaveLength(2);
    expect((await read(since(anHour))).events).toEqual([]);
    for (const query of [`?since=yesterday`, `${since(0)}&after=${encodeURIComponent(start)}`])
      expect(await get(query)).toMatchObject({
        status: 400,
        body: { params: { since: expect.any(String) } },
      });
  });

  it('A start at a time has microseconds', async () => {
    await reward('bob');
    // The feed starts five minutes before that time.
    const [first] = await flow.database.query<{ id: string; since: string; later: string }>(
      `SELECT id, rules.iso_utc(created_at + interval '5 minutes') AS since,
         rules.iso_utc(created_at + interval '5 minutes 1 microsecond') AS later
       FROM events WHERE merchant_id = $1 ORDER BY sequence LIMIT 1`,
      [merchant.id],
    );
    const ids = async (since = '') => (await read(`?since=${since}`)).events.map(({ id }) => id);
    expect(await ids(first?.since)).toContain(first?.id);
    expect(await ids(first?.later)).not.toContain(first?.id);
  });

  it('The feed requires a secret key and GET, and shows no events of other merchants', async () => {
    const other = await flow.openMerchant();
    await reward('bob');
    expect(await read('', other)).toMatchObject({ events: [] });
    expect(await get('', merchant.publicKey)).toMatchObject({
      status: 401,
      body: { code: 'secret_key_required' },
    });
    expect(await get('', 'nonsense')).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    const post = await flow.call(path, {}, { key: merchant.secretKey });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each([
    { webhook: 'none', issues: 2 },
    { webhook: 'reward.issue', issues: 2 },
    { webhook: 'reward.issue,reward.revoke', issues: 4 },
  ])(
    'An order that is restored after its cancellation is paid once (webhook: $webhook)',
    async ({ webhook, issues }) => {
      if (webhook !== 'none') await flow.receiver(merchant, webhook);
      const order = await reward('bob');
      await flow.syncAndSettle(merchant, { ...order, cancelled_at: order.order_date });
      await flow.syncAndSettle(merchant, order);
      // With reward.issue alone, a reward is issued again only if a webhook revoked it. Both types together are complete.
      expect((await read('?types=reward.issue')).events).toHaveLength(issues);
      const types = (await read()).events.map(({ type }) => type);
      const two = (type: string) => [type, type];
      expect(types).toEqual([...two('reward.issue'), ...two('reward.revoke'), ...two('reward.issue')]);
    },
  );

  it('An erased member is not named any more, in pages that were read before and in others', async () => {
    await reward('bob');
    const { next } = await read();
    await reward('bea');
    const erasure = await flow.admin('member erase', { merchant: merchant.id, member: 'ann' });
    const tombstone = String(erasure['tombstone']);
    const members = ({ events }: Page) => events.map(({ data }) => data.member_id).sort();
    expect(members(await read())).toEqual(['bea', 'bob', tombstone, tombstone].sort());
    expect(members(await read(`?after=${next}`))).toEqual(['bea', tombstone].sort());
  });
});
