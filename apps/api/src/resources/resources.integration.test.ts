import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
let webhookId: string;
beforeAll(async () => {
  flow = await startFlow();
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
afterAll(() => flow.close());

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

describe('Reading back', () => {
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
