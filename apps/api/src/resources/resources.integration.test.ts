import { openSealer } from '@rewardhook/database';
import { buildItem, buildOrder } from '@rewardhook/testing';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openFeedCursors } from '../events/feed-cursor.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Reading back', () => {
  let merchant: Merchant;
  let webhookId: string;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
    await flow.receiver(merchant, 'reward.issue', {}, '/hook');
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'first/1', member_id: 'bob', items: [buildItem({ product_id: 'tea' })] }),
    );
    for (const number of [2, 3, 4])
      await flow.syncAndSettle(merchant, buildOrder({ order_id: `o-${number}`, member_id: 'carl' }));
    webhookId = (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;
  });

  const get = (path: string, key = merchant.secretKey) =>
    flow.call(`/api/open${path}`, undefined, { method: 'GET', key });
  const read = async (path: string, key = merchant.secretKey): Promise<Record<string, unknown>> => {
    const { status, body } = await get(path, key);
    expect([path, status, body.params]).toEqual([path, 200, undefined]);
    return body.data;
  };
  type Row = Record<string, unknown>;
  const list = async (path: string, name: string) => (await read(path))[name] as Row[];
  /** Reads all pages of a list. The path has a query. */
  const readPages = async (path: string, name: string, key = merchant.secretKey): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let after = ''; ;) {
      const page = await read(`${path}${after}`, key);
      rows.push(...(page[name] as Row[]));
      expect(page['has_more']).toBe(page['next'] !== null);
      if (page['next'] === null) return rows;
      after = `&after=${encodeURIComponent(page['next'] as string)}`;
    }
  };

  it('An order is read with its items, and the list leads to it', async () => {
    const order = await read('/orders/first%2F1/');
    expect(order).toMatchObject({ order_id: 'first/1', member_id: 'bob', items: [{ product_id: 'tea' }] });
    const orders = await list('/orders/', 'orders');
    expect(orders.map(({ order_id }) => order_id)).toEqual(['o-4', 'o-3', 'o-2', 'first/1']);
    expect(await list('/orders/?member_id=bob', 'orders')).toMatchObject([
      { order_id: 'first/1', items_count: 1, last_reason: 'rewarded' },
    ]);
  });

  it('Pages follow each other without a gap, and the last one has no next', async () => {
    const orders = await readPages('/orders/?limit=3', 'orders');
    expect(orders.map(({ order_id }) => order_id)).toEqual(['o-4', 'o-3', 'o-2', 'first/1']);
  });

  it('Ids of 255 characters of 4 bytes each are filters and cursors', async () => {
    const other = await flow.openMerchant();
    const id = (letter: string) => `${'🍵'.repeat(254)}${letter}`;
    for (const letter of ['a', 'b'])
      await flow.syncAndSettle(other, buildOrder({ order_id: id(letter), member_id: id('m') }));
    await flow.link(other, id('a'), id('b'));
    const ofMember = `/orders/?limit=1&member_id=${encodeURIComponent(id('m'))}`;
    const orders = await readPages(ofMember, 'orders', other.secretKey);
    expect(orders.map(({ order_id }) => order_id)).toEqual([id('b'), id('a')]);
    const members = await readPages('/members/?limit=1', 'members', other.secretKey);
    expect(members.map(({ member_id }) => member_id)).toEqual([id('a'), id('b')]);
  });

  it('Rewards are read one by one, and filtered by order, member, role and state', async () => {
    const rewards = await list('/rewards/?order_id=first%2F1', 'rewards');
    expect(rewards.map(({ role }) => String(role)).toSorted()).toEqual(['referee', 'referrer']);
    const [ofAnn] = await list('/rewards/?member_id=ann&role=referrer&state=confirmed', 'rewards');
    expect(await read(`/rewards/${String(ofAnn?.['id'])}/`)).toEqual(ofAnn);
    expect(await list('/rewards/?state=revoked', 'rewards')).toEqual([]);
    expect(await list('/rewards/?until=2020-01-01T00:00:00Z', 'rewards')).toEqual([]);
  });

  it.each(['rewards', 'deliveries'])('The range of creation of %s has microseconds', async (name) => {
    const path = name === 'rewards' ? '/rewards/' : `/webhooks/${webhookId}/deliveries/`;
    const [row] = await list(path, name);
    const at = String(row?.['created_at']);
    expect(at).toMatch(/\.\d{6}Z$/);
    const nextMicrosecond = `${at.slice(0, 20)}${String(Number(at.slice(20, 26)) + 1).padStart(6, '0')}Z`;
    const has = async (range: string) =>
      (await list(`${path}?${range}`, name)).some(({ id }) => id === row?.['id']);
    expect(await has(`from=${at}&until=${nextMicrosecond}`)).toBe(true);
    expect(await has(`from=${nextMicrosecond}`)).toBe(false);
    expect(await has(`until=${at}`)).toBe(false);
  });

  it('A referral names both members, and not the user who reviewed it', async () => {
    const [referral] = await list('/referrals/?member_id=bob', 'referrals');
    expect(referral).toMatchObject({ referrer_member_id: 'ann', referee_member_id: 'bob', review: 'none' });
    expect(referral).not.toHaveProperty('reviewed_by');
    expect(await read(`/referrals/${String(referral?.['id'])}/`)).toEqual(referral);
    expect(await list('/referrals/?flagged=true', 'referrals')).toEqual([]);
  });

  it('Members are listed by id, and found by the beginning of it', async () => {
    const members = await list('/members/', 'members');
    expect(members.map(({ member_id }) => member_id)).toEqual(['ann', 'bob']);
    expect(await list('/members/?search=an', 'members')).toMatchObject([
      { member_id: 'ann', referral_code: expect.stringMatching(/^\w{8}$/), referees: 1 },
    ]);
    const [ann] = members;
    const code = String(ann?.['referral_code']);
    const pasted = [
      'ann ',
      '\ufeffann\n',
      `${code.slice(0, 4)}-${code.slice(4)}`,
      `https://x.example/r/${code}?a=b`,
    ];
    for (const text of [...pasted, ` ${code.toLowerCase()} `])
      expect(await list(`/members/?search=${encodeURIComponent(text)}`, 'members')).toEqual([ann]);
    expect(await list(`/members/?search=${encodeURIComponent(`code ${code}`)}`, 'members')).toEqual([]);
  });

  it('An event is read as webhooks deliver it', async () => {
    const [event] = (await read('/events/'))['events'] as Row[];
    expect(await read(`/events/${String(event?.['id'])}/`)).toEqual(event);
  });

  it('A webhook is read with its deliveries, and a delivery with its attempts', async () => {
    expect(await list('/webhooks/', 'webhooks')).toMatchObject([{ id: webhookId, status: 'active' }]);
    expect(await read(`/webhooks/${webhookId}/`)).toMatchObject({ event_types: ['reward.issue'] });
    const deliveries = await list(`/webhooks/${webhookId}/deliveries/?state=delivered`, 'deliveries');
    expect(deliveries).toHaveLength(2);
    const delivery = await read(`/deliveries/${String(deliveries[0]?.['id'])}/`);
    expect(delivery).toMatchObject({
      ...deliveries[0],
      webhook_id: webhookId,
      attempts: [{ number: 1, status: 204, error: null, duration_ms: expect.any(Number) }],
    });
  });

  it.each([
    ['/orders/?cursor=x', { cursor: 'is not a parameter here; the parameters are member_id, after, limit' }],
    ['/orders/first%2F1/?limit=1', { limit: 'is not a parameter here; there are none' }],
    [
      '/events/?cursor=x',
      { cursor: 'is not a parameter here; the parameters are after, since, limit, types' },
    ],
    ['/rewards/?state=paid', { state: 'must be one of pending, confirmed, revoked, cancelled' }],
    ['/rewards/?from=2026-01-01', { from: expect.stringContaining('2026-03-01T00:00:00+09:00') }],
    ['/orders/?limit=0&after=x', { limit: 'must be 1 or more' }],
    ['/orders/?limit=201', { limit: 'must be 200 or less' }],
    ['/orders/?after=x', { after: 'is not a cursor of this list' }],
    ['/members/?after=abc', { after: 'is not a cursor of this list' }],
    ['/orders/?member_id=a&member_id=b', { member_id: 'must be a string' }],
  ])('GET %s names the parameter that is wrong', async (path, params) => {
    const { status, body } = await get(path);
    expect([status, body.code, body.params]).toEqual([400, 'invalid_request', params]);
  });

  it.each([
    '/orders/none/',
    '/rewards/none/',
    '/referrals/none/',
    '/webhooks/none/deliveries/',
    '/events/none/',
  ])('GET %s is answered with 404', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('A public key reads nothing', async () => {
    const { status, body } = await get('/orders/', merchant.publicKey);
    expect([status, body.code]).toEqual([401, 'secret_key_required']);
  });
});

describe('GET /api/open/events/', () => {
  const path = '/api/open/events/';
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

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

describe('GET /api/open/members/{member_id}/', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const show = (member: string, key = merchant.secretKey): Promise<Answer> =>
    flow.call(`/api/open/members/${encodeURIComponent(member)}/`, undefined, { key, method: 'GET' });

  it('A member is shown with their code, share link, referrer and counts', async () => {
    const update = { merchant: merchant.id, 'landing-url': 'https://shop.example.com/' };
    await flow.admin('merchant update', update);
    const linked = await flow.link(merchant, 'ann', '한별/1');
    await flow.link(merchant, '한별/1', 'carl');
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'o-1', member_id: '한별/1' }));
    const code = (await flow.boot(merchant, { user_id: '한별/1' })).body.data['referral_code'];

    expect(await show('한별/1')).toMatchObject({
      status: 200,
      body: {
        data: {
          member_id: '한별/1',
          referral_code: code,
          share_link: `https://share.example/r/${String(code)}`,
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          referrer: {
            member_id: 'ann',
            referral_id: linked.body.data['id'],
            code: linked.body.data['code'],
            linked_at: linked.body.data['linked_at'],
            review: 'none',
          },
          counts: {
            referees: 1,
            orders: 1,
            rewards: { pending: 0, confirmed: 1, revoked: 0, cancelled: 0 },
          },
        },
      },
    });
    expect((await show('ann')).body.data).toMatchObject({
      referrer: null,
      counts: { referees: 1, orders: 0, rewards: { confirmed: 1 } },
    });
  });

  it('A member who only has orders is shown without a code', async () => {
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'buyer' }));
    expect((await show('buyer')).body.data).toEqual({
      member_id: 'buyer',
      aliases: [],
      referral_code: null,
      share_link: null,
      created_at: null,
      referrer: null,
      counts: { referees: 0, orders: 1, rewards: { pending: 0, confirmed: 0, revoked: 0, cancelled: 0 } },
    });
  });

  it('An unknown member is not found', async () => {
    for (const member of ['bob', 'a\0b', 'x'.repeat(5_000)]) {
      const { status, body } = await show(member);
      expect([member.length, status, body.code]).toEqual([member.length, 404, 'not_found']);
    }
  });

  it('A public key is refused', async () => {
    const { status, body } = await show('ann', merchant.publicKey);
    expect([status, body.code]).toEqual([401, 'secret_key_required']);
  });
});
