import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { parseTerms } from '@rewardhook/rewards';
import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { Answer, RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  AuditEntryView,
  HomeView,
  MemberRow,
  MemberView,
  OrderListItem,
  OrderResponse,
  Page,
  PageOfMember,
  ProgramVersionView,
  ProgramView,
  ReferralDetail,
  ReferralRow,
  RewardListRow,
  SimulationView,
} from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

describe('The lists of the console', () => {
  const orders = 7;

  let owner: SignedUpMerchant;
  let empty: SignedUpMerchant;
  beforeAll(async () => {
    [owner, empty] = [await running.signUp(), await running.signUp()];
    await flow.receiver(owner.merchant, 'reward.issue,reward.revoke');
    const batch = [];
    for (let number = 0; number < orders; number += 1) {
      await flow.link(owner.merchant, 'ann', `referee-${number}`);
      batch.push(buildOrder({ order_id: `order-${number}`, member_id: `referee-${number}` }));
    }
    await flow.syncAndSettle(owner.merchant, ...batch, buildOrder({ order_id: 'a/b ü', member_id: 'ann' }));
    const [first, second] = batch;
    await flow.syncAndSettle(
      owner.merchant,
      { ...first, cancelled_at: first?.order_date },
      { ...second, returned_at: second?.order_date },
    );
    await flow.boot(owner.merchant, { user_id: 'zoe' });
  });

  /** All items of a list, read in pages of three. */
  const readAll = async (path: string) => {
    const items: Record<string, unknown>[] = [];
    let after = '';
    do {
      const answer = await owner.browser.get(`${path}${path.includes('?') ? '&' : '?'}limit=3${after}`);
      expect([path, answer.status]).toEqual([path, 200]);
      const page = answer.data as Page<Record<string, unknown>>;
      expect(page.items.length).toBeLessThanOrEqual(3);
      items.push(...page.items);
      after = page.next === null ? '' : `&after=${page.next}`;
    } while (after !== '');
    return items;
  };

  it.each([
    // Each of the seven orders has an event for both sides, two of them a second one.
    ['/deliveries', 2 * orders + 4, 'id'],
    ['/deliveries?event_type=reward.revoke', 4, 'id'],
    ['/deliveries?search=order-3', 2, 'id'],
    ['/deliveries?search=ann', orders + 2, 'id'],
    ['/orders', orders + 1, 'order_id'],
    ['/orders?member_id=referee-2', 1, 'order_id'],
    ['/orders?order_id=order-4', 1, 'order_id'],
    ['/rewards', 2 * orders, 'id'],
    ['/rewards?state=revoked', 4, 'id'],
    ['/rewards?role=referrer&member_id=ann', orders, 'id'],
    ['/members', orders + 2, 'member_id'],
    ['/members?search=referee-', orders, 'member_id'],
    ['/referrals', orders, 'id'],
    ['/referrals?member_id=referee-1', 1, 'id'],
    ['/referrals?flagged=true', 0, 'id'],
    ['/referrals?flagged=false', orders, 'id'],
    ['/replays', 0, 'id'],
    ['/webhooks', 1, 'id'],
  ])(
    'The pages of %s have no gap and no repetition, and are empty for a merchant without data',
    async (path, count, id) => {
      const items = await readAll(path);
      expect(items).toHaveLength(count);
      expect(new Set(items.map((item) => item[id])).size).toBe(count);
      expect((await empty.browser.get(path)).data).toEqual({ items: [], next: null });
    },
  );

  it('The list of replays contains every replay of a webhook, however many were created later', async () => {
    const { items } = (await owner.browser.get('/webhooks')).data as Page<{ id: string }>;
    const [own, other] = [items[0]?.id as string, 'whk_other'];
    const merchantId = owner.merchant.id;
    const row = { merchantId, states: ['delivered'], newIds: false, perMinute: 1, total: 0, state: 'done' };
    const range = { fromTime: new Date(0), untilTime: new Date() };
    const replays = Array.from({ length: 60 }, (_, number) => ({
      ...row,
      ...range,
      id: `rpl_${number}`,
      endpointId: number < 5 ? own : number < 7 ? null : other,
    }));
    await flow.database.replay.createMany({ data: replays });
    const found = await readAll(`/replays?endpoint_id=${own}`);
    expect(new Set(found.map(({ id }) => id))).toEqual(
      new Set(replays.flatMap(({ id, endpointId }) => (endpointId === other ? [] : [id]))),
    );
    const answer = await flow.admin('replay list', { merchant: merchantId, limit: '60' });
    expect(answer['replays']).toHaveLength(60);
    await flow.database.replay.deleteMany({ where: { merchantId } });
  });

  it('A cursor keeps its position while rows are added', async () => {
    const first = (await owner.browser.get('/orders?limit=4')).data as Page<OrderListItem>;
    await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'late', member_id: 'late' }));
    const rest = (await owner.browser.get(`/orders?limit=50&after=${first.next}`))
      .data as Page<OrderListItem>;
    const ids = [...first.items, ...rest.items].map(({ order_id: id }) => id);
    expect([ids.length, new Set(ids).size, ids.includes('late')]).toEqual([8, 8, false]);
  });

  it.each(['/orders', '/deliveries', '/rewards', '/referrals', '/webhooks'])(
    'A cursor of %s that no list has returned is refused',
    async (path) => {
      for (const after of ['x', Buffer.from('2026-99-99T00:00:00.000000Z a').toString('base64url')])
        expect((await owner.browser.get(`${path}?after=${after}`)).body.params).toHaveProperty('after');
      expect((await owner.browser.get(`${path}?limit=0`)).body.params).toHaveProperty('limit');
    },
  );

  it('Lists can be filtered by time', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    expect(await readAll(`/rewards?from=${at}`)).toEqual([]);
    expect(await readAll(`/rewards?until=${at}`)).toHaveLength(2 * orders);
    expect(await readAll(`/deliveries?from=${at}`)).toEqual([]);
    expect((await owner.browser.get('/rewards?from=yesterday')).body.params).toHaveProperty('from');
  });

  it.each([
    ['/rewards', 'created_at'],
    ['/deliveries', 'created_at'],
    ['/audit', 'at'],
  ])('The filters by time of %s have microseconds', async (path, field) => {
    const [row] = await readAll(path);
    const at = String(row?.[field]);
    expect(at).toMatch(/\.\d{6}Z$/);
    const nextMicrosecond = `${at.slice(0, 20)}${String(Number(at.slice(20, 26)) + 1).padStart(6, '0')}Z`;
    const has = async (filter: string) =>
      (await readAll(`${path}?${filter}`)).some(({ id }) => id === row?.['id']);
    expect(await has(`from=${at}&until=${nextMicrosecond}`)).toBe(true);
    expect(await has(`from=${nextMicrosecond}`)).toBe(false);
    expect(await has(`until=${at}`)).toBe(false);
  });

  it.each(['0001-01-01T00:00:00+15:59', '2026-02-30T00:00:00Z', '9999-12-31T23:59:59-15:59', '2026-11-21'])(
    'The date-time %s, which does not exist or which PostgreSQL cannot store, is refused in every field',
    async (at) => {
      const { items } = (await owner.browser.get('/webhooks')).data as Page<{ id: string }>;
      const replay = { states: ['delivered'], new_ids: false, per_minute: 60 };
      const calls: [field: string, answer: Promise<Answer>][] = [
        ...['/deliveries', '/rewards'].flatMap((path) =>
          ['from', 'until'].map((field): [string, Promise<Answer>] => [
            field,
            owner.browser.get(`${path}?${field}=${encodeURIComponent(at)}`),
          ]),
        ),
        ...['', '/preview'].flatMap((path) =>
          [
            ['from', { ...replay, from: at, until: '2036-01-01T00:00:00Z' }] as const,
            ['until', { ...replay, from: '2026-01-01T00:00:00Z', until: at }] as const,
          ].map(([field, body]): [string, Promise<Answer>] => [
            field,
            owner.browser.post(`/webhooks/${items[0]?.id}/replays${path}`, body),
          ]),
        ),
        ['since', owner.browser.post('/program/simulate', { terms: {}, since: at })],
      ];
      for (const [field, answer] of calls) {
        const { status, body } = await answer;
        expect([field, status, body.params]).toEqual([field, 400, { [field]: expect.any(String) }]);
      }
    },
  );

  it('An order is returned with its explanation, even if its id has special characters', async () => {
    const answer = await owner.browser.get('/orders/order-0');
    const { order, explanation } = answer.data as OrderResponse;
    expect(order).toMatchObject({
      order_id: 'order-0',
      order_amount: 30_000,
      cancelled_at: expect.any(String),
    });
    expect(order.items).toMatchObject([{ product_id: 'tea-01', quantity: 2 }]);
    expect(explanation.decision).toMatchObject({ reason: 'cancelled' });
    expect(explanation.timeline.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['evaluated', 'reward_revoked']),
    );
    const odd = await owner.browser.get(`/orders/${encodeURIComponent('a/b ü')}`);
    expect((odd.data as OrderResponse).order.order_id).toBe('a/b ü');
    expect((await owner.browser.get('/orders/none')).status).toBe(404);
    for (const list of ['orders', 'members', 'webhooks', 'replays'])
      expect([list, (await owner.browser.get(`/${list}/%00`)).status]).toEqual([list, 404]);
  });

  it('The page of an order has its first 100 products, and their number; the API returns all', async () => {
    const items = Array.from({ length: 101 }, (_none, index) => buildItem({ product_id: `tea-${index}` }));
    const { merchant, browser } = await running.signUp();
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'large', items }));
    const { order } = (await browser.get('/orders/large')).data as OrderResponse;
    expect(order.items_count).toBe(101);
    expect(order.items.map(({ product_id }) => product_id)).toEqual(
      items.slice(0, 100).map(({ product_id }) => product_id),
    );
    const all = await flow.call('/api/open/orders/large/', undefined, {
      key: merchant.secretKey,
      method: 'GET',
    });
    expect(all.body.data['items']).toHaveLength(101);
    expect(all.body.data).not.toHaveProperty('items_count');
  });

  it('A member is returned with both sides of their referrals', async () => {
    await flow.admin('merchant update', {
      merchant: owner.merchant.id,
      'landing-url': 'https://shop.example/',
    });
    const ann = (await owner.browser.get('/members/ann')).data as MemberView;
    expect(ann).toMatchObject({ member_id: 'ann', referrer: null, referees_total: orders });
    expect(ann.link).toBe(`https://share.example/r/${ann.code}`);
    expect([ann.referees.length, ann.rewards.length, ann.orders.length]).toEqual([orders, orders, 1]);
    const referee = (await owner.browser.get('/members/referee-0')).data as MemberView;
    expect(referee.referrer).toMatchObject({ referrer_member_id: 'ann', source: 'link', flags: [] });
    expect((await owner.browser.get('/members/nobody')).status).toBe(404);
  });

  it('A member who has orders and was neither booted nor linked can be opened', async () => {
    const other = await running.signUp();
    await flow.syncAndSettle(
      other.merchant,
      buildOrder({ order_id: 'of-a-stranger', member_id: 'a stranger' }),
    );
    const { order } = (await other.browser.get('/orders/of-a-stranger')).data as OrderResponse;
    const stranger = await other.browser.get(`/members/${encodeURIComponent(order.member_id)}`);
    expect(stranger.data).toMatchObject({
      member_id: 'a stranger',
      code: null,
      created_at: null,
      link: null,
      referrer: null,
      orders: [{ order_id: 'of-a-stranger' }],
    });
  });

  it('A member is found by their referral code in any letter case', async () => {
    const ann = (await owner.browser.get('/members/ann')).data as MemberView;
    expect(await readAll(`/members?search=${String(ann.code).toLowerCase()}`)).toHaveLength(1);
  });

  it('Rewards are exported as CSV', async () => {
    const answer = await owner.browser.get('/rewards.csv?role=referrer');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + orders);
    expect(lines[0]).toMatch(/^\ufeffreward_id,state,role,member_id,/);
    expect(lines[1]).toMatch(/^rwd_\w+,\w+,referrer,ann,order-\d,points,3000,points,1,/);
    expect((await empty.browser.get('/rewards.csv')).text).toBe(`${lines[0]}\r\n`);
  });

  it('Members and referrals are exported as CSV with the filters of the list', async () => {
    const linesOf = async (path: string) => (await owner.browser.get(path)).text.trimEnd().split('\r\n');
    const [memberHeader, ...members] = await linesOf('/members.csv');
    expect(memberHeader).toBe('\ufeffmember_id,code,referrer_member_id,referees,created_at');
    const listed = (await owner.browser.get('/members?limit=200')).data as Page<MemberRow>;
    expect(members.map((line) => line.split(',')[0])).toEqual(listed.items.map(({ member_id: id }) => id));
    expect(members.find((line) => line.startsWith('ann,'))).toMatch(/^ann,[0-9A-Z]{8},,\d+,2\d{3}-.+Z$/);
    expect(await linesOf('/members.csv?search=ann')).toHaveLength(2);
    const [referralHeader, ...referrals] = await linesOf('/referrals.csv?member_id=ann');
    expect(referralHeader).toBe(
      '\ufeffreferral_id,referrer_member_id,referee_member_id,code,source,flags,linked_at,review,reviewed_by,reviewed_at',
    );
    expect(referrals.length).toBeGreaterThan(0);
    for (const line of referrals)
      expect(line).toMatch(/^ref_\w+,ann,[^,]+,[0-9A-Z]{8},link,,2\d{3}-.+Z,none,,$/);
    expect(await linesOf('/referrals.csv?flagged=true')).toEqual([referralHeader]);
    expect((await empty.browser.get('/members.csv')).text).toBe(`${memberHeader}\r\n`);
  });

  it('An export adds no more listeners to its response than Node takes for a leak', async () => {
    const counts: number[] = [];
    const count = (message: unknown) => {
      const { response } = message as { response: ServerResponse };
      response.on('newListener', (event: string) => counts.push(response.listenerCount(event) + 1));
    };
    subscribe('http.server.request.start', count);
    await owner.browser.get('/members.csv');
    unsubscribe('http.server.request.start', count);
    expect(Math.max(...counts)).toBeLessThanOrEqual(EventEmitter.defaultMaxListeners);
  });

  it('A rule can be simulated on the stored orders before it is published as the next version', async () => {
    const terms = parseTerms({ minimumPaidAmount: 1_000_000 });
    const report = (await owner.browser.post('/program/simulate', { terms })).data as SimulationView;
    expect(report).toMatchObject({
      orders,
      draft: { rewards: 0 },
      current: { rewards: 2 * (orders - 2) },
      losses_total: 2 * (orders - 2),
      gains: [],
    });
    expect(report.losses[0]).toMatchObject({ member_id: expect.any(String), order_id: expect.any(String) });
    const none = await owner.browser.post('/program/simulate', {
      terms,
      since: '2036-01-01T00:00:00.000001Z',
    });
    expect(none.data).toMatchObject({ orders: 0, since: '2036-01-01T00:00:00.000001Z' });
    const bad = await owner.browser.post('/program', { terms: { holdDays: -1 }, base_version: 1 });
    expect(Object.keys(bad.body.params ?? {})).toEqual(['terms.holdDays']);
    const published = await owner.browser.post('/program', { terms, base_version: 1 });
    expect([published.status, (published.data as ProgramVersionView).version]).toEqual([201, 2]);
    const { versions } = (await owner.browser.get('/program')).data as ProgramView;
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
    expect(versions[0]?.terms.rules[0]?.minimumPaidAmount).toBe(1_000_000);
  });

  it.each(['week', 'days30', 'month'])(
    'Home has the figures of the range %s beside those before, and the newest rewards with what became of them',
    async (range) => {
      const { browser } = owner;
      const home = (await browser.get(`/home?range=${range}`)).data as HomeView;
      // Two of the orders were cancelled or returned, and so four rewards revoked.
      expect(home.figures).toMatchObject({
        new_referrals: orders,
        first_orders: orders - 2,
        referred_revenue: (orders - 2) * 30_000,
        cost: [{ type: 'points', unit: 'points', amount: (2 * orders - 4) * 3_000, each_first_order: 6_000 }],
      });
      expect(home.before.until).toBe(range === 'month' ? home.before.until : home.days.from);
      expect(home.figures_before).toMatchObject({ new_referrals: 0, first_orders: 0, cost: [] });
      const { items } = (await browser.get('/rewards?limit=6')).data as Page<RewardListRow>;
      expect(home.rewards.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
      for (const { sending } of home.rewards) expect(sending).toBe('delivered');
      const quiet = (await empty.browser.get(`/home?range=${range}`)).data as HomeView;
      expect([quiet.figures.first_orders, quiet.rewards]).toEqual([0, []]);
    },
  );

  it('The checklist of Home goes on both sides when a reward of the live side was delivered', async () => {
    for (const side of ['', '/test']) {
      expect((await owner.browser.get(`${side}/home`)).data).toMatchObject({ checklist: null });
      expect((await empty.browser.get(`${side}/home`)).data).toMatchObject({
        checklist: {
          key_used: false,
          first_order: false,
          webhook_registered: false,
          signature_verified: false,
        },
      });
    }
  });
});

describe('Referrals and merges in the console', () => {
  let owner: SignedUpMerchant;
  beforeEach(async () => {
    owner = await running.signUp();
  });

  describe('The change of a referrer in the console', () => {
    let id: string;
    beforeEach(async () => {
      await flow.link(owner.merchant, 'ann', 'bob');
      await flow.link(owner.merchant, 'carol', 'dave');
      await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'order', member_id: 'bob' }));
      const { items } = (await owner.browser.get('/referrals?member_id=bob')).data as Page<ReferralRow>;
      id = items[0]?.id ?? '';
    });

    const move = (body: object) =>
      owner.browser.post(`/referrals/${id}/move`, {
        reason: 'wrong code',
        key: 'key',
        dry_run: false,
        ...body,
      });

    it('shows what it changes, then changes it once and names who did it', async () => {
      const { code } = await flow.database.member.findFirstOrThrow({
        where: { merchantId: owner.merchant.id, memberId: 'carol' },
      });
      const points = { rewards: 1, totals: [{ unit: 'points', amount: 3_000 }] };
      const expected = { referrer_member_id: 'carol', withdrawn: points, given: points };
      expect((await move({ referrer: ` ${code.toLowerCase()}`, dry_run: true })).data).toEqual(expected);
      expect((await move({ referrer: 'carol' })).data).toEqual(expected);
      expect((await move({ referrer: 'carol' })).status).toBe(200);
      await flow.queues.settled();
      const { referral, rewards } = (await owner.browser.get(`/referrals/${id}`)).data as ReferralDetail;
      expect(referral).toMatchObject({
        referrer_member_id: 'carol',
        moves: [{ number: 1, from_referrer_member_id: 'ann', reason: 'wrong code', moved_by: owner.email }],
      });
      expect(rewards.map(({ member_id: member, state }) => `${member} ${state}`).toSorted()).toEqual([
        'ann revoked',
        'bob confirmed',
        'carol confirmed',
      ]);
    });

    it('is refused for members who do not fit, for a key of another change, and for viewers', async () => {
      const reasonOf = async (body: object) => {
        const { status, text } = await move({ key: 'another', ...body });
        return [status, (JSON.parse(text) as { reason: { code: string } }).reason.code];
      };
      expect(await reasonOf({ referrer: 'nobody' })).toEqual([409, 'referrer_unknown']);
      // Stored before such ids were refused.
      const placeholder = { merchantId: owner.merchant.id, memberId: 'undefined', code: 'GG3BXZT7' };
      await flow.database.member.create({ data: { ...placeholder, lookAlike: new Uint8Array(32) } });
      expect(await reasonOf({ referrer: 'undefined' })).toEqual([409, 'not_a_member']);
      expect(await reasonOf({ referrer: 'gg3b-xzt7' })).toEqual([409, 'not_a_member']);
      expect((await move({ referrer: 'carol' })).status).toBe(200);
      expect(await reasonOf({ referrer: 'ann', key: 'key' })).toEqual([409, 'key_reused']);
      await flow.database.membership.updateMany({
        where: { merchantId: owner.merchant.id },
        data: { role: 'viewer' },
      });
      expect((await move({ referrer: 'ann' })).status).toBe(403);
    });
  });

  it('A merge and a correction in the console are stored with the e-mail address of the user', async () => {
    await flow.link(owner.merchant, 'ann', 'old');
    const order = buildOrder({ order_id: 'order', member_id: 'old', paid_at: null });
    await flow.syncAndSettle(owner.merchant, order);
    const act = { reason: 'two accounts', key: 'key' };
    const merge = { into_member_id: 'bob', dry_run: false, ...act };
    expect((await owner.browser.post('/members/old/merge', merge)).status).toBe(200);
    const reward = { role: 'referee', amount: 5, ...act };
    expect((await owner.browser.post('/orders/order/rewards', reward)).status).toBe(200);
    const { id: merchantId } = owner.merchant;
    expect(await flow.database.memberAlias.findMany({ where: { merchantId } })).toMatchObject([
      { mergedBy: owner.email, reason: 'two accounts' },
    ]);
    expect(await flow.database.rewardCorrection.findMany({ where: { merchantId } })).toMatchObject([
      { correctedBy: owner.email, reason: 'two accounts' },
    ]);
  });

  describe('A member who is merged in the console', () => {
    const merge = (from: string, into: string) =>
      owner.browser.post(`/members/${encodeURIComponent(from)}/merge`, {
        into_member_id: into,
        reason: 'two accounts',
        key: JSON.stringify([from, into]),
        dry_run: false,
      });
    const merges = async () => {
      const { items } = (await owner.browser.get('/audit?action=member.merged')).data as Page<AuditEntryView>;
      return items.map(({ subject_id: subject, subject_merge: merged }) => [subject?.slice(0, 4), merged]);
    };

    it('is named in the activity until one of them is erased', async () => {
      await flow.syncAndSettle(
        owner.merchant,
        buildOrder({ order_id: 'order', member_id: 'old', paid_at: null }),
      );
      expect((await merge('old', 'new')).status).toBe(200);
      expect((await merge('new', 'newest')).status).toBe(200);
      const entries = [
        ['mrg_', { from_member_id: 'new', into_member_id: 'newest' }],
        ['mrg_', { from_member_id: 'old', into_member_id: 'new' }],
      ];
      expect(await merges()).toEqual(entries);
      const { entries: listed } = await flow.admin('audit list', {
        merchant: owner.merchant.id,
        action: 'member.merged',
      });
      expect(listed).toMatchObject(entries.map(([, merged]) => ({ subject_merge: merged })));
      await flow.admin('member erase', { merchant: owner.merchant.id, member: 'newest' });
      expect(await merges()).toEqual([
        ['mrg_', null],
        ['mrg_', null],
      ]);
    });

    it('is not renamed to a placeholder or to an id that nobody can read', async () => {
      await flow.boot(owner.merchant, { user_id: 'old' });
      const refusedAs = async (into: string) => {
        const { status, text } = await merge('old', into);
        return [status, (JSON.parse(text) as { fields: object }).fields];
      };
      const refused = (code: string) => [400, { into_member_id: { code, parameters: {} } }];
      expect(await refusedAs('   ')).toEqual(refused('placeholder_id'));
      expect(await refusedAs('null')).toEqual(refused('placeholder_id'));
      expect(await refusedAs('new\u200f')).toEqual(refused('unseen_characters'));
    });

    it('is found by the former id in every list, which names the survivor', async () => {
      await flow.receiver(owner.merchant, 'reward.issue');
      await flow.link(owner.merchant, 'ann', 'old');
      await flow.link(owner.merchant, 'eve', 'new');
      await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'order', member_id: 'old' }));
      expect((await merge('old', 'new')).status).toBe(200);
      await flow.queues.settled();
      const list = async (path: string) => (await owner.browser.get(path)).data as PageOfMember<object>;
      const lists = [
        '/orders?member_id=',
        '/rewards?member_id=',
        '/deliveries?search=',
        '/referrals?member_id=',
      ];
      for (const path of lists) {
        const [former, survivor] = [await list(`${path}old`), await list(`${path}new`)];
        expect([path, survivor.survivor_member_id, former.survivor_member_id]).toEqual([
          path,
          undefined,
          'new',
        ]);
        expect(survivor.items).toHaveLength(1);
        // The referral of the former id that ended in the merge still has it.
        const ended = path.startsWith('/referrals') ? 1 : 0;
        expect(former.items).toHaveLength(1 + ended);
        expect(former.items).toEqual(expect.arrayContaining(survivor.items));
      }
      for (const csv of ['/rewards.csv', '/referrals.csv'])
        expect((await owner.browser.get(`${csv}?member_id=old`)).text).toContain('new');
    });
  });
});

describe('The review of referrals in the console', () => {
  let owner: SignedUpMerchant;
  beforeEach(async () => {
    owner = await running.signUp();
  });

  /** A referral between look-alike ids, with a pending reward. */
  async function linkLookAlikes(): Promise<string> {
    await flow.link(owner.merchant, 'Mallory', 'mallory ');
    await flow.syncAndSettle(owner.merchant, buildOrder({ member_id: 'mallory ' }));
    const { items } = (await owner.browser.get('/referrals?review=pending')).data as Page<ReferralRow>;
    expect(items).toMatchObject([{ flags: ['look_alike'], review: 'pending', reviewed_by: null }]);
    return items[0]?.id ?? '';
  }
  const show = async (id: string) => (await owner.browser.get(`/referrals/${id}`)).data as ReferralDetail;
  const states = ({ rewards }: ReferralDetail) => rewards.map(({ state }) => state);

  it('Accepting a referral confirms its rewards and shows who accepted it', async () => {
    const id = await linkLookAlikes();
    expect(states(await show(id))).toEqual(['pending', 'pending']);
    expect((await owner.browser.post(`/referrals/${id}/accept`)).status).toBe(200);
    await flow.queues.settled();
    const accepted = await show(id);
    expect(accepted.referral).toMatchObject({
      review: 'accepted',
      reviewed_by: owner.email,
      reviewed_at: expect.any(String),
    });
    expect(states(accepted)).toEqual(['confirmed', 'confirmed']);
    expect((await owner.browser.post(`/referrals/${id}/reject`)).status).toBe(409);
    expect(((await owner.browser.get('/referrals?review=pending')).data as Page<ReferralRow>).items).toEqual(
      [],
    );
    expect((await owner.browser.get('/referrals.csv')).text).toContain(`accepted,${owner.email}`);
  });

  it('Rejecting a referral cancels its rewards', async () => {
    const id = await linkLookAlikes();
    await owner.browser.post(`/referrals/${id}/reject`);
    await flow.queues.settled();
    expect(states(await show(id))).toEqual(['cancelled', 'cancelled']);
  });

  it('Viewers cannot review, and nobody can review a referral that needs none', async () => {
    const id = await linkLookAlikes();
    await flow.link(owner.merchant, 'ann', 'bob');
    const { items } = (await owner.browser.get('/referrals?member_id=bob')).data as Page<ReferralRow>;
    expect(items).toMatchObject([{ review: 'none' }]);
    expect((await owner.browser.post(`/referrals/${items[0]?.id}/accept`)).status).toBe(409);
    await flow.database.membership.updateMany({
      where: { merchantId: owner.merchant.id },
      data: { role: 'viewer' },
    });
    expect((await owner.browser.post(`/referrals/${id}/accept`)).status).toBe(403);
    expect((await show(id)).referral.review).toBe('pending');
  });
});
