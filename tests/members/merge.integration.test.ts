import { moveOrdersOfAliases } from '@rewardhook/database/stages';
import { publishProgram } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import type { RewardEventData } from '@rewardhook/contract';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { userHashOf } from '../harness/open-merchant.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow()));
beforeEach(async () => (merchant = await flow.openMerchant()));
afterAll(() => flow.close());

let keys = 0;
const mergeCall = (
  from: string,
  into: string,
  {
    key = `key-${(keys += 1)}`,
    shop = merchant,
    ...body
  }: Record<string, unknown> & {
    key?: string | null;
    shop?: Merchant;
  } = {},
) =>
  flow.call(
    '/api/open/members/merge/',
    { from_member_id: from, into_member_id: into, reason: 'One customer, two accounts', ...body },
    { key: shop.secretKey, headers: key === null ? {} : { 'idempotency-key': key } },
  );
const merge = async (...given: Parameters<typeof mergeCall>) => {
  const { status, body } = await mergeCall(...given);
  expect([status, body]).toEqual([200, expect.anything()]);
  await flow.queues.settled();
  return body.data;
};
const get = async (path: string, shop = merchant) =>
  (await flow.call(`/api/open${path}`, undefined, { method: 'GET', key: shop.secretKey })).body.data;
const member = (id: string, shop = merchant) => get(`/members/${id}/`, shop);
const explain = (id: string) =>
  get(`/orders/${id}/explain/`) as Promise<{
    member_id: string;
    sent_member_id: string | null;
    decision: { reason: string; checks: { check: string; passed: boolean }[] };
  }>;
const rewards = async (shop = merchant) =>
  (await flow.database.reward.findMany({ where: { merchantId: shop.id } }))
    .map(
      ({ role, state, amount, orderId, memberId }) =>
        `${orderId} ${role} ${memberId} ${Number(amount)} ${state}`,
    )
    .toSorted((one, other) => one.localeCompare(other));
const referrals = async (shop = merchant) =>
  (await flow.database.referral.findMany({ where: { merchantId: shop.id } }))
    .map(
      ({ referrerMemberId, refereeMemberId, ended }) =>
        `${referrerMemberId} > ${refereeMemberId}${ended === null ? '' : ` ${ended}`}`,
    )
    .toSorted((one, other) => one.localeCompare(other));
const publish = (terms: object) => publishProgram(flow.database, merchant.id, parseTerms(terms));
const spent = async () =>
  Number((await flow.database.program.findUniqueOrThrow({ where: { merchantId: merchant.id } })).spent);
const codeOf = async (id: string) => String((await member(id))['referral_code']);
/** A paid order of now. */
const order = (orderId: string, memberId: string, changes: object = {}) =>
  buildOrder({ order_id: orderId, member_id: memberId, ...changes });
const send = (...orders: object[]) => flow.syncAndSettle(merchant, ...orders);
const holdDays = 7;

describe('A member who is merged into another one', () => {
  it('means the survivor in orders, boots and links with their id, and with their code', async () => {
    await flow.link(merchant, 'old', 'first');
    await flow.boot(merchant, { user_id: 'new' });
    const [oldCode, newCode] = [await codeOf('old'), await codeOf('new')];
    await send(order('before', 'old', { paid_at: null }));
    const merged = await merge('old', 'new');
    expect(merged).toEqual({
      member_id: 'new',
      merged_member_id: 'old',
      orders_moved: 1,
      referees_moved: 1,
      referral_id: null,
      ended_referral: null,
      rewards_cancelled: 0,
      rewards_kept: 0,
      kept_reward_ids: [],
      dry_run: false,
    });
    await send(order('after', 'old', { paid_at: null }), order('own', 'new', { paid_at: null }));
    expect(await member('old')).toEqual(await member('new'));
    expect(await member('new')).toMatchObject({
      member_id: 'new',
      aliases: ['old'],
      referral_code: newCode,
      counts: { referees: 1, orders: 3 },
    });
    const sent = await Promise.all(['before', 'after', 'own'].map(explain));
    expect(sent.map(({ member_id: id, sent_member_id: sentAs }) => [id, sentAs])).toEqual([
      ['new', 'old'],
      ['new', 'old'],
      ['new', null],
    ]);

    const booted = await flow.boot(merchant, { user_id: 'second', referral_code: oldCode });
    expect(booted.body.data).toMatchObject({ link: 'linked' });
    await flow.link(merchant, 'old', 'third');
    const byCode = await flow.call(
      '/api/open/members/link/',
      { referral_code: oldCode, referee_member_id: 'fourth' },
      { key: merchant.secretKey },
    );
    expect([byCode.status, byCode.body.data]).toEqual([
      201,
      expect.objectContaining({ referrer_member_id: 'new', code: oldCode }),
    ]);
    const own = await flow.boot(merchant, {
      user_id: 'old',
      user_hash: userHashOf(merchant, 'old'),
      referral_code: newCode,
    });
    expect(own.body.data).toMatchObject({ user_id: 'old', referral_code: newCode, link: 'own_code' });
    await flow.link(merchant, 'ann', 'old');
    expect(await referrals()).toEqual([
      'ann > new',
      'new > first',
      'new > fourth',
      'new > second',
      'new > third',
    ]);
    const { members } = (await get('/members/')) as { members: { member_id: string }[] };
    expect(members.map(({ member_id: id }) => id)).not.toContain('old');
  });

  it('is found by the complete former id and code', async () => {
    await flow.link(merchant, 'old-1', 'first');
    const code = await codeOf('old-1');
    await merge('old-1', 'new-1');
    const found = async (search: string) => {
      const { members } = (await get(`/members/?search=${search}`)) as { members: { member_id: string }[] };
      return members.map(({ member_id: id }) => id);
    };
    expect([
      await found('old-1'),
      await found(code.toLowerCase()),
      await found('new'),
      await found('old'),
    ]).toEqual([['new-1'], ['new-1'], ['new-1'], []]);
  });

  it('has each merge in the timeline of their orders', async () => {
    await send(order('order', 'a', { paid_at: null }));
    await merge('a', 'b');
    await merge('b', 'c', { reason: 'A new login' });
    const { timeline } = (await get('/orders/order/explain/')) as { timeline: { what: string }[] };
    expect(timeline.filter(({ what }) => what === 'member_merged')).toEqual([
      {
        at: expect.any(String),
        what: 'member_merged',
        former_member_id: 'a',
        member_id: 'b',
        by: 'api',
        reason: 'One customer, two accounts',
      },
      expect.objectContaining({ former_member_id: 'b', member_id: 'c', reason: 'A new login' }),
    ]);
  });

  it('is renamed by a merge into an unused id, and keeps code, referral and rewards', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
    const code = await codeOf('bob');
    await send(order('order', 'bob'));
    expect(await merge('bob', 'robert')).toMatchObject({ orders_moved: 1, ended_referral: null });
    expect(await member('robert')).toMatchObject({ referral_code: code, aliases: ['bob'] });
    expect(await referrals()).toEqual(['ann > robert']);
    expect(await rewards()).toEqual([
      'order referee robert 3000 confirmed',
      'order referrer ann 3000 confirmed',
    ]);
    // What the merchant was notified of stays: the revocation names the member of the issue, and the survivor as the other one.
    await send(order('order', 'bob', { cancelled_at: new Date().toISOString() }));
    await hook.waitFor(() => hook.received.length === 4, 10_000);
    const events = hook.received
      .map(({ rawBody }) => JSON.parse(rawBody.toString()) as { type: string; data: RewardEventData })
      .map(({ type, data: { role, member_id: id, referral } }) => ({
        what: `${type} ${role} ${id}`,
        referral,
      }))
      .toSorted((one, other) => one.what.localeCompare(other.what));
    expect(events.map(({ what, referral }) => [what, referral.referee_member_id])).toEqual([
      ['reward.issue referee bob', 'bob'],
      ['reward.issue referrer ann', 'bob'],
      ['reward.revoke referee bob', 'bob'],
      ['reward.revoke referrer ann', 'robert'],
    ]);
    expect(new Set(events.map(({ referral }) => referral.id)).size).toBe(1);
    const { rewards: listed } = (await get('/rewards/?role=referee')) as {
      rewards: { member_id: string; issued_member_id: string }[];
    };
    expect(listed).toEqual([expect.objectContaining({ member_id: 'robert', issued_member_id: 'bob' })]);
  });

  it('can be merged again: every former id means the last survivor', async () => {
    await send(order('one', 'a', { paid_at: null }));
    await merge('a', 'b');
    await merge('b', 'c');
    await send(order('two', 'a', { paid_at: null }));
    expect(await member('a')).toMatchObject({ member_id: 'c', aliases: ['a', 'b'], counts: { orders: 2 } });
  });

  it('is merged once for an Idempotency-Key, also by calls at the same time', async () => {
    await send(order('one', 'old', { paid_at: null }));
    const answers = await Promise.all([1, 2, 3].map(() => mergeCall('old', 'new', { key: 'same' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body: { data } }) => JSON.stringify(data))).size).toBe(1);
    const other = await mergeCall('old', 'newer', { key: 'same' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    const without = await mergeCall('old', 'new', { key: null });
    expect(without.body.params).toHaveProperty(['Idempotency-Key']);
    const entries = await flow.database.auditEntry.findMany({
      where: { merchantId: merchant.id, action: 'member.merged' },
    });
    expect(entries).toEqual([expect.objectContaining({ subjectId: expect.stringMatching(/^mrg_/) })]);
    expect(JSON.stringify(entries)).not.toContain('old');
  });

  it('cannot be merged into themselves, again, when unknown, or when erased', async () => {
    await send(order('one', 'old', { paid_at: null }), order('two', 'gone', { paid_at: null }));
    await merge('old', 'new');
    const refused = async (from: string, into: string) => {
      const { status, body } = await mergeCall(from, into);
      return [status, body.code, Object.keys(body.params ?? {})];
    };
    expect(await refused('new', 'new')).toEqual([400, 'invalid_request', ['into_member_id']]);
    expect(await refused('new', 'old')).toEqual([400, 'invalid_request', ['into_member_id']]);
    expect(await refused('old', 'newer')).toEqual([400, 'invalid_request', ['from_member_id']]);
    expect(await refused('nobody', 'new')).toEqual([404, 'not_found', []]);
    const { tombstone } = await flow.admin('member erase', { merchant: merchant.id, member: 'gone' });
    expect(await refused(String(tombstone), 'new')).toEqual([400, 'invalid_request', ['from_member_id']]);
    expect(await refused('new', String(tombstone))).toEqual([400, 'invalid_request', ['from_member_id']]);
  });

  it('is another member at another merchant', async () => {
    const other = await flow.openMerchant();
    await flow.link(other, 'old', 'bob');
    await flow.syncAndSettle(other, order('one', 'old', { paid_at: null }));
    await send(order('one', 'old', { paid_at: null }));
    await merge('old', 'new');
    await flow.syncAndSettle(other, order('two', 'old', { paid_at: null }));
    expect(await member('old', other)).toMatchObject({
      member_id: 'old',
      aliases: [],
      counts: { orders: 2 },
    });
    expect(await referrals(other)).toEqual(['old > bob']);
    expect((await mergeCall('bob', 'new')).status).toBe(404);
  });

  it('is not merged while orders of either wait for their evaluation', async () => {
    await flow.link(merchant, 'ann', 'old');
    await send(order('one', 'old'));
    await flow.database.dueBatch.create({
      data: { merchantId: merchant.id, orderIds: ['one'], memberIds: ['old'], orderVersions: [1n] },
    });
    for (const [from, into] of [
      ['old', 'new'],
      ['ann', 'new'],
      ['ann', 'old'],
    ] as const) {
      const { status, body } = await mergeCall(from, into);
      expect([status, body.code, body.message]).toEqual([409, 'orders_due', expect.stringContaining('one')]);
    }
    await flow.database.dueBatch.deleteMany({ where: { merchantId: merchant.id } });
    await merge('old', 'new');
  });

  it('gets the orders that were being stored during the merge from the sweeper', async () => {
    await flow.link(merchant, 'ann', 'old');
    await merge('old', 'new');
    // As a transaction leaves it that had looked for aliases before the merge.
    await send(order('late', 'stranger'));
    await flow.database.order.updateMany({
      where: { merchantId: merchant.id, orderId: 'late' },
      data: { memberId: 'old' },
    });
    await flow.database.memberAlias.updateMany({
      where: { merchantId: merchant.id },
      data: { ordersMovedAt: null },
    });
    await moveOrdersOfAliases(flow.database);
    expect(await explain('late')).toMatchObject({ member_id: 'new', sent_member_id: 'old' });
    // The pass after the last transaction that began before the first one, of any test on this server.
    const isDone = async () => {
      await moveOrdersOfAliases(flow.database);
      const alias = await flow.database.memberAlias.findFirstOrThrow({ where: { merchantId: merchant.id } });
      return alias.ordersMovedAt !== null;
    };
    await waitFor(isDone, { what: 'the last pass' });
  });
});

describe('Two referrals of members who are merged', () => {
  it('become the one that was linked earlier; the other ends, and what it had earned stays', async () => {
    await publish({ trigger: 'every_order' });
    await flow.link(merchant, 'ann', 'old');
    await flow.link(merchant, 'eve', 'new');
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await send(order('a', 'old'), order('b', 'new'));
    const result = await merge('old', 'new');
    const [kept] = await flow.database.referral.findMany({ where: { merchantId: merchant.id, ended: null } });
    expect(result).toMatchObject({
      referral_id: kept?.id,
      ended_referral: { reason: 'merged' },
      rewards_cancelled: 0,
      rewards_kept: 2,
    });
    expect(await referrals()).toEqual(['ann > new', 'eve > old merged']);
    await send(order('b', 'new', { paid_amount: 50_000 }), order('c', 'old'));
    expect(await rewards()).toEqual([
      'a referee new 3000 confirmed',
      'a referrer ann 3000 confirmed',
      'b referee new 3000 confirmed',
      'b referrer eve 3000 confirmed',
      'c referee new 3000 confirmed',
      'c referrer ann 3000 confirmed',
    ]);
    await hook.waitFor(() => hook.received.length === 6, 10_000);
    const { decision } = await explain('b');
    expect(decision.reason).toBe('already_rewarded');
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ check: 'not_rewarded_before_merge', passed: false }),
    );
    // An order that is cancelled takes its rewards back, whoever has them, and earns nothing again.
    await send(order('b', 'new', { cancelled_at: new Date().toISOString() }));
    await hook.waitFor(() => hook.received.length === 8, 10_000);
    expect(await rewards()).toContain('b referrer eve 3000 revoked');
    const ended = (result['ended_referral'] as { id: string }).id;
    expect(await get(`/referrals/${ended}/`)).toMatchObject({ ended: 'merged', referrer_member_id: 'eve' });
  });

  it('have one first order: with its reward from before the merge, another order gets that of the next rule', async () => {
    const points = (value: number) => ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } });
    const first = { id: 'first', referee: points(3_000), referrer: points(3_000) };
    const base = { id: 'base', trigger: 'every_order', referee: points(100), referrer: null };
    await publish({ rules: [first, base] });
    await flow.link(merchant, 'ann', 'old');
    await flow.link(merchant, 'eve', 'new');
    await send(order('a', 'new'));
    await merge('old', 'new');
    await send(order('b', 'old', { first_order: true }));
    const live = async () => (await rewards()).filter((line) => line.endsWith('confirmed')).join();
    const ofFirst = 'a referee new 3000 confirmed,a referrer eve 3000 confirmed';
    expect(await live()).toBe(`${ofFirst},b referee new 100 confirmed`);
    await send(order('a', 'new', { cancelled_at: new Date().toISOString() }));
    expect(await live()).toBe('b referee new 3000 confirmed,b referrer ann 3000 confirmed');
  });

  it('become the earlier one when the survivor’s own referral is the later one or the earlier one', async () => {
    await flow.link(merchant, 'eve', 'new');
    await flow.link(merchant, 'ann', 'old');
    await merge('old', 'new');
    expect(await referrals()).toEqual(['ann > old merged', 'eve > new']);
  });

  it('lose the pending rewards of the one that ends', async () => {
    await publish({ trigger: 'every_order', holdDays });
    await flow.link(merchant, 'ann', 'old');
    await flow.link(merchant, 'eve', 'new');
    await send(order('a', 'old'), order('b', 'new'));
    expect(await spent()).toBe(12_000);
    const result = await merge('old', 'new');
    expect(result).toMatchObject({ rewards_cancelled: 2, rewards_kept: 0 });
    expect(await rewards()).toEqual([
      'a referee new 3000 pending',
      'a referrer ann 3000 pending',
      'b referee new 3000 cancelled',
      'b referee new 3000 pending',
      'b referrer ann 3000 pending',
      'b referrer eve 3000 cancelled',
    ]);
    expect(await spent()).toBe(12_000);
  });

  it('give the reward of a first order once, and a webhook that hears only reward.issue is not told twice', async () => {
    await flow.link(merchant, 'ann', 'old');
    await flow.link(merchant, 'eve', 'new');
    const hook = await flow.receiver(merchant, 'reward.issue');
    await send(order('b', 'new'));
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    await merge('old', 'new');
    await send(order('c', 'old'), order('d', 'new', { first_order: true }));
    expect(await rewards()).toEqual(['b referee new 3000 confirmed', 'b referrer eve 3000 confirmed']);
    // Revoked with its order: the webhook was not notified of that, so the next reward is stored without deliveries.
    await send(order('b', 'new', { cancelled_at: new Date().toISOString() }));
    expect(await rewards()).toEqual(
      expect.arrayContaining(['b referee new 3000 revoked', 'c referee new 3000 confirmed']),
    );
    await flow.queues.settled();
    expect(hook.received).toHaveLength(2);
  });
});

describe('A referrer who is merged with their referee', () => {
  it.each([
    ['ann', 'bob'],
    ['bob', 'ann'],
  ])('ends the referral: %s into %s', async (from, into) => {
    await publish({ trigger: 'every_order' });
    await flow.link(merchant, 'ann', 'bob');
    await send(order('one', 'bob'));
    await publish({ trigger: 'every_order', holdDays });
    await send(order('two', 'bob'));
    const result = await merge(from, into);
    expect(result).toMatchObject({
      ended_referral: { reason: 'cycle' },
      referral_id: null,
      rewards_cancelled: 2,
      rewards_kept: 2,
      referees_moved: 0,
    });
    await send(order('one', 'bob', { paid_amount: 20_000 }), order('three', 'ann'));
    expect(await rewards()).toEqual([
      `one referee ${into} 3000 confirmed`,
      `one referrer ${into} 3000 confirmed`,
      `two referee ${into} 3000 cancelled`,
      `two referrer ${into} 3000 cancelled`,
    ]);
    expect(await referrals()).toEqual([`${into} > ${from} cycle`]);
    // The survivor can be referred by somebody else; what was given before is not given again.
    expect((await flow.link(merchant, 'eve', 'bob')).status).toBe(201);
    await flow.queues.settled();
    await send(order('one', 'bob', { paid_amount: 21_000 }));
    const live = (await rewards()).filter((text) => text.startsWith('one') && !text.endsWith('cancelled'));
    expect(live).toEqual([`one referee ${into} 3000 confirmed`, `one referrer ${into} 3000 confirmed`]);
  });

  it('loses what an order earned before when the order is cancelled, though nobody has referred them now', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await send(order('one', 'bob'));
    await merge('bob', 'ann');
    await send(order('one', 'bob', { cancelled_at: new Date().toISOString() }));
    expect(await rewards()).toEqual(['one referee ann 3000 revoked', 'one referrer ann 3000 revoked']);
    expect(await spent()).toBe(0);
    expect((await flow.admin('doctor', { full: 'true' })).faults).toMatchObject({ ordersNotEvaluated: 0 });
  });

  it('ends the referral that would close a longer cycle', async () => {
    await flow.link(merchant, 'top', 'middle');
    await flow.link(merchant, 'middle', 'bottom');
    expect(await merge('top', 'bottom')).toMatchObject({ ended_referral: { reason: 'cycle' } });
    expect(await referrals()).toEqual(['bottom > middle', 'middle > top cycle']);
  });
});

describe('The caps of referrers who are merged', () => {
  it('count the rewards of both, and take nothing back', async () => {
    await publish({ referrerCap: { total: 2, month: null }, holdDays });
    for (const [referrer, referee] of [
      ['old', 'r1'],
      ['old', 'r2'],
      ['new', 'r3'],
      ['new', 'r4'],
    ] as const)
      await flow.link(merchant, referrer, referee);
    await send(order('o1', 'r1'), order('o2', 'r2'), order('o3', 'r3'));
    await merge('old', 'new');
    await send(order('o4', 'r4'));
    const ofReferrer = (await rewards()).filter((text) => text.includes('referrer'));
    expect(ofReferrer).toEqual([
      'o1 referrer new 3000 pending',
      'o2 referrer new 3000 pending',
      'o3 referrer new 3000 pending',
    ]);
  });
});

describe('A dry run of a merge', () => {
  it('says the same as the merge, and changes nothing', async () => {
    await publish({ trigger: 'every_order', holdDays });
    await flow.link(merchant, 'ann', 'old');
    await flow.link(merchant, 'eve', 'new');
    await send(order('a', 'old'), order('b', 'new'));
    const before = [await rewards(), await referrals(), await member('old'), await spent()];
    const dry = await mergeCall('old', 'new', { dry_run: true, key: 'key-of-both' });
    expect([await rewards(), await referrals(), await member('old'), await spent()]).toEqual(before);
    const audits = await flow.database.auditEntry.count({
      where: { merchantId: merchant.id, action: 'member.merged' },
    });
    expect(audits).toBe(0);
    const done = await merge('old', 'new', { key: 'key-of-both' });
    expect({ ...dry.body.data, dry_run: false }).toEqual(done);
  });
});

describe('The erasure of a merged member', () => {
  it.each(['old', 'new'])('forgets all of their ids and codes when %s is erased', async (erased) => {
    await publish({ trigger: 'every_order' });
    await flow.link(merchant, 'ann', 'id-old');
    await flow.link(merchant, 'eve', 'id-new');
    const codes = [await codeOf('id-old'), await codeOf('id-new')];
    await flow.receiver(merchant, 'reward.issue');
    await send(order('a', 'id-old'), order('b', 'id-new'));
    await merge('id-old', 'id-new');
    await send(order('c', 'id-old'));
    await flow.queues.settled();
    await flow.admin('member erase', { merchant: merchant.id, member: `id-${erased}`, force: 'true' });
    const tables = await flow.database.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const rows = await flow.database.query<{ row: string }>(
        `SELECT t::text AS row FROM ${name} t WHERE merchant_id = $1`,
        [merchant.id],
      );
      const text = rows.map(({ row }) => row).join('\n');
      for (const word of ['id-old', 'id-new', ...codes])
        expect([name, text.includes(word)]).toEqual([name, false]);
    }
    // From now on the ids are those of new members.
    await send(order('d', 'id-old', { paid_at: null }));
    expect(await member('id-old')).toMatchObject({ member_id: 'id-old', aliases: [], counts: { orders: 1 } });
  });
});

describe('member merge', () => {
  it('merges as the API does', async () => {
    await flow.link(merchant, 'ann', 'old');
    await send(order('a', 'old'));
    const options = { merchant: merchant.id, from: 'old', into: 'new', reason: 'Renamed', key: 'one' };
    const document = await flow.admin('member merge', options);
    expect(document).toMatchObject({ memberId: 'new', ordersMoved: 1, ordersToEvaluate: 1, done: true });
    expect(await flow.admin('member merge', options)).toMatchObject({ memberId: 'new', done: false });
    await flow.queues.settled();
    expect(await flow.admin('member show', { merchant: merchant.id, member: 'old' })).toMatchObject({
      member: { memberId: 'new' },
      aliases: ['old'],
    });
    await expect(flow.admin('member merge', { ...options, into: 'third', key: 'two' })).rejects.toThrow(
      'was merged before',
    );
    const stored = await flow.database.memberAlias.findMany({ where: { merchantId: merchant.id } });
    expect(stored).toMatchObject([{ mergedBy: 'operator', reason: 'Renamed' }]);
  });
});

describe('Merges at the same time', () => {
  it('leave every former id with one survivor, in crossing and in chained merges', async () => {
    for (const id of ['a', 'b', 'c']) await flow.boot(merchant, { user_id: id });
    const crossing = await Promise.all([mergeCall('a', 'b'), mergeCall('b', 'a')]);
    expect(crossing.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    await flow.queues.settled();
    const chained = await Promise.all([mergeCall('c', 'a'), mergeCall('a', 'd'), mergeCall('b', 'd')]);
    expect(chained.some(({ status }) => status === 200)).toBe(true);
    const aliases = await flow.database.memberAlias.findMany({ where: { merchantId: merchant.id } });
    const former = new Set(aliases.map(({ aliasId }) => aliasId));
    expect(aliases.filter(({ memberId }) => former.has(memberId))).toEqual([]);
  });
});

describe('A link that was moved', () => {
  const move = (body: object, key: string) =>
    flow.call(
      '/api/open/members/move-link/',
      { reason: 'Wrong code', ...body },
      { key: merchant.secretKey, headers: { 'idempotency-key': key } },
    );

  it('keeps what it gave when its referral ends in a merge', async () => {
    await publish({ earlierOrders: 'count' });
    const date = new Date(Date.now() - 9 * 86_400_000).toISOString();
    await flow.link(merchant, 'dan', 'twin');
    await flow.link(merchant, 'carol', 'bob');
    await send(order('old', 'bob', { order_date: date, paid_at: date }));
    const moved = await move(
      { referee_member_id: 'bob', referrer_member_id: 'alice', from_order_id: 'old' },
      'first',
    );
    expect(moved.status).toBe(200);
    await flow.queues.settled();
    const given = ['old referee bob 3000 confirmed', 'old referrer alice 3000 confirmed'];
    expect(await rewards()).toEqual(expect.arrayContaining(given));
    await flow.database.referral.updateMany({
      where: { merchantId: merchant.id, refereeMemberId: 'twin' },
      data: { linkedAt: new Date(Date.now() - 20 * 86_400_000) },
    });
    expect(await merge('bob', 'twin')).toMatchObject({ rewards_kept: 2 });
    expect(await rewards()).toEqual(
      expect.arrayContaining(['old referee twin 3000 confirmed', 'old referrer alice 3000 confirmed']),
    );
  });
});
