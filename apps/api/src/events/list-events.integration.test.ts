import { openSealer } from '@rewardhook/database';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/index.ts';
import type { Flow, Merchant } from '../../../../tests/harness/index.ts';
import { openFeedCursors } from './feed-cursor.ts';

const path = '/api/open/events/';
let flow: Flow;
let shop: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  shop = await flow.openMerchant();
});
afterAll(() => flow.close());

interface Page {
  events: { id: string; type: string; data: { member_id: string } }[];
  next: string;
  has_more: boolean;
}

const get = (query = '', key = shop.secretKey) => flow.call(path + query, undefined, { method: 'GET', key });
const read = async (query = '', merchant = shop): Promise<Page> => {
  const { status, body } = await get(query, merchant.secretKey);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data as unknown as Page;
};

/** A referred friend's first order: a reward for each side. */
async function reward(friend: string, merchant = shop) {
  await flow.link(merchant, 'ann', friend);
  const order = buildOrder({ member_id: friend });
  await flow.syncAndSettle(merchant, order);
  return order;
}

describe('GET /api/open/events/', () => {
  it('tells to the byte what webhooks tell, in pages that follow each other', async () => {
    const hook = await flow.receiver(shop, 'reward.issue');
    for (const friend of ['bob', '칼 "C"', 'dan']) await reward(friend);
    const sent = hook.received.map(({ rawBody }) => rawBody.toString('utf8'));
    expect(sent).toHaveLength(6);
    const bodies: string[] = [];
    let query = '?limit=4';
    for (const size of [4, 2]) {
      const response = await fetch(`${flow.url}${path}${query}`, {
        headers: { 'x-service-key': shop.secretKey },
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

  it('gives an empty page the cursor that was sent, and goes on from it when there is more', async () => {
    const empty = await read();
    expect(empty).toMatchObject({ events: [], has_more: false });
    expect(await read(`?after=${empty.next}`)).toEqual(empty);
    await reward('bob');
    const page = await read(`?after=${empty.next}`);
    expect(page.events).toHaveLength(2);
    expect(await read(`?after=${page.next}`)).toEqual({ events: [], next: page.next, has_more: false });
  });

  it('is read by a merchant without any webhook, with and without the slash at the end', async () => {
    await reward('bob');
    const { events } = await read();
    expect(events.map(({ data }) => data.member_id).sort()).toEqual(['ann', 'bob']);
    const bare = await flow.call('/api/open/events?limit=1', undefined, {
      method: 'GET',
      key: shop.secretKey,
    });
    expect([bare.status, (bare.body.data as unknown as Page).has_more]).toEqual([200, true]);
  });

  it('refuses cursors that it did not give, those of other merchants, and wrong parameters, all by name', async () => {
    const other = await flow.openMerchant();
    const { next } = await read();
    const cursors = openFeedCursors(openSealer(flow.environment.secretsKey));
    expect(cursors.read(shop.id, next)).toBe(0);
    const wrong = [
      (await read('', other)).next,
      cursors.write(other.id, 3),
      openFeedCursors(openSealer(Buffer.alloc(32).toString('base64'))).write(shop.id, 3),
      flow.sealer.seal('3', { merchantId: shop.id, purpose: 'feed-cursor' }),
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
    expect(Object.keys(body.params ?? {})).toEqual(['after', 'limit', 'types']);
    for (const query of ['?limit=1001', '?limit=1.5', '?limit=1&limit=2', '?types=,'])
      expect((await get(query)).status).toBe(400);
  });

  it('wants a secret key and GET, and tells no merchant of another', async () => {
    const other = await flow.openMerchant();
    await reward('bob');
    expect(await read('', other)).toMatchObject({ events: [] });
    expect(await get('', shop.publicKey)).toMatchObject({
      status: 401,
      body: { code: 'secret_key_required' },
    });
    expect(await get('', 'nonsense')).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    const post = await flow.call(path, {}, { key: shop.secretKey });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each([
    { webhook: 'none', issues: 2 },
    { webhook: 'reward.issue', issues: 2 },
    { webhook: 'reward.issue,reward.revoke', issues: 4 },
  ])('pays once for an order that came back to life (webhook: $webhook)', async ({ webhook, issues }) => {
    if (webhook !== 'none') await flow.receiver(shop, webhook);
    const order = await reward('bob');
    await flow.syncAndSettle(shop, { ...order, cancelled_at: order.order_date });
    await flow.syncAndSettle(shop, order);
    // Who takes nothing back is told again only of what webhooks took back; who reads both types has the whole book.
    expect((await read('?types=reward.issue')).events).toHaveLength(issues);
    const types = (await read()).events.map(({ type }) => type);
    const two = (type: string) => [type, type];
    expect(types).toEqual([...two('reward.issue'), ...two('reward.revoke'), ...two('reward.issue')]);
  });

  it('names an erased member no more, in pages that were read and in those that were not', async () => {
    await reward('bob');
    const { next } = await read();
    await reward('bea');
    const erasure = await flow.admin('member erase', { merchant: shop.id, member: 'ann' });
    const tombstone = String(erasure['tombstone']);
    const members = ({ events }: Page) => events.map(({ data }) => data.member_id).sort();
    expect(members(await read())).toEqual(['bea', 'bob', tombstone, tombstone].sort());
    expect(members(await read(`?after=${next}`))).toEqual(['bea', tombstone].sort());
  });
});
