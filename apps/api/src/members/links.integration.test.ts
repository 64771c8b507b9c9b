import { randomUUID } from 'node:crypto';
import { upsertOrders } from '@rewardhook/database/stages';
import { buildOrder } from '@rewardhook/testing';
import { linkPath } from '../../../../tests/harness/call-api.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('Links', () => {
  let merchant: Merchant;
  let code: string;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    code = String((await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code']);
  });

  const link = (body: object) => flow.call(linkPath, body, { key: merchant.secretKey });

  describe('POST /api/open/members/link/ with a referral code', () => {
    it('The referee is linked to the owner of the code, however it was typed', async () => {
      const typed = ` ${code.slice(0, 4)}-${code.slice(4).toLowerCase()} `;
      const { status, body } = await link({ referral_code: typed, referee_member_id: 'bob' });
      expect([status, body.data]).toEqual([
        201,
        expect.objectContaining({ referrer_member_id: 'ann', referee_member_id: 'bob', code }),
      ]);
      expect((await link({ referral_code: code, referee_member_id: 'bob' })).status).toBe(200);
      const again = await flow.link(merchant, 'ann', 'bob');
      expect([again.status, (again.body as { warnings?: object }).warnings]).toEqual([
        200,
        { referee_member_id: 'was linked to this referrer before: nothing is changed' },
      ]);
    });

    it("A link enqueues the referee's earlier orders once, however often it is repeated", async () => {
      const orders = [buildOrder({ member_id: 'bob' }), buildOrder({ member_id: 'bob' })];
      await upsertOrders(flow.database, [
        { merchantId: merchant.id, version: 1, orders: JSON.stringify(orders) },
      ]);
      const statuses: number[] = [];
      for (let times = 0; times < 3; times += 1)
        statuses.push((await link({ referral_code: code, referee_member_id: 'bob' })).status);
      expect(statuses).toEqual([201, 200, 200]);
      const batches = await flow.database.dueBatch.findMany({ where: { merchantId: merchant.id } });
      expect(batches.map(({ orderIds }) => orderIds.toSorted())).toEqual([
        orders.map(({ order_id }) => order_id).toSorted(),
      ]);
    });

    it.each([
      ['NOSUCH99', 'bob', { referral_code: 'is not the code of a member' }],
      ['-', 'bob', { referral_code: 'is not the code of a member' }],
    ])('The unknown code %j is refused', async (referral_code, referee_member_id, params) => {
      const { status, body } = await link({ referral_code, referee_member_id });
      expect([status, body.code, body.params]).toEqual([400, 'invalid_request', params]);
    });

    it('A code of another merchant is unknown', async () => {
      const other = await flow.openMerchant();
      const body = { referral_code: code, referee_member_id: 'bob' };
      const refused = await flow.call(linkPath, body, { key: other.secretKey });
      expect([refused.status, refused.body.params]).toEqual([
        400,
        { referral_code: 'is not the code of a member' },
      ]);
    });

    it('The owner of the code is not linked to themselves', async () => {
      const { status, body } = await link({ referral_code: code, referee_member_id: 'ann' });
      expect([status, body.params]).toEqual([
        400,
        { referee_member_id: 'must not be the owner of referral_code' },
      ]);
    });

    it('A referee with another referrer, and a link that would close a cycle, are refused as with ids', async () => {
      await flow.link(merchant, 'bob', 'carl');
      const taken = await link({ referral_code: code, referee_member_id: 'carl' });
      expect([taken.status, taken.body.code]).toEqual([409, 'already_linked']);
      await flow.link(merchant, 'carl', 'ann');
      const cycle = await link({ referral_code: code, referee_member_id: 'bob' });
      expect([cycle.status, cycle.body.code]).toEqual([409, 'referral_cycle']);
    });
  });

  /** What programs and shops send in place of an id, in some spellings. */
  const placeholders = [
    ...[
      'undefined',
      'null',
      'NaN',
      '[object Object]',
      '0',
      '-1',
      'None',
      'false',
      'guest',
      'anonymous',
      'unknown',
    ],
    ...[
      '00000000-0000-0000-0000-000000000000',
      '   ',
      '비회원',
      '---',
      '\ufffd\ufffd',
      '\u200b',
      ' NULL\u200e ',
    ],
    ...['\uff27\uff35\uff25\uff33\uff34', '\u00a0undefined\ufeff', 'und\u00adefined', '?', '$', '<nil>'],
  ];

  describe('A placeholder in place of a member id', () => {
    const refused = 'is a placeholder such as undefined or guest, not the id of a member';
    const path = '/api/open/members';
    const call = (name: string, body: object) =>
      flow.call(
        `${path}/${name}/`,
        { reason: 'why', ...body },
        {
          key: merchant.secretKey,
          headers: { 'idempotency-key': randomUUID() },
        },
      );

    it.each(placeholders)(
      '%j is refused by every way to a referral, with the reason in params',
      async (id) => {
        const order = buildOrder({ order_id: 'order', member_id: id });
        const orders = JSON.stringify([order, buildOrder({ member_id: 'bob' })]);
        await upsertOrders(flow.database, [{ merchantId: merchant.id, version: 1, orders }]);
        const booted = await flow.boot(merchant, { user_id: id, referral_code: code });
        const answers = {
          boot: booted,
          referee: await link({ referrer_member_id: 'ann', referee_member_id: id }),
          refereeByCode: await link({ referral_code: code, referee_member_id: id }),
          referrer: await link({ referrer_member_id: id, referee_member_id: 'bob' }),
          movedReferee: await call('move-link', {
            ...{ referrer_member_id: 'ann', referee_member_id: id },
            from_order_id: 'order',
          }),
          movedReferrer: await call('move-link', { referrer_member_id: id, referee_member_id: 'bob' }),
          mergedInto: await call('merge', { from_member_id: 'bob', into_member_id: id }),
        };
        const seen = Object.entries(answers).map(([way, { status, body }]) => [way, status, body.params]);
        expect(seen).toEqual([
          ['boot', 400, { user_id: refused }],
          ['referee', 400, { referee_member_id: refused }],
          ['refereeByCode', 400, { referee_member_id: refused }],
          ['referrer', 400, { referrer_member_id: refused }],
          ['movedReferee', 400, { referee_member_id: refused }],
          ['movedReferrer', 400, { referrer_member_id: refused }],
          ['mergedInto', 400, { into_member_id: refused }],
        ]);
        const where = { merchantId: merchant.id };
        expect(await flow.database.referral.count({ where })).toBe(0);
        expect(await flow.database.member.findMany({ where, select: { memberId: true } })).toEqual([
          { memberId: 'ann' },
        ]);
        // Such a member can be merged into a real one: that cleans up.
        expect((await call('merge', { from_member_id: id, into_member_id: 'bob' })).status).toBe(200);
        expect((await link({ referrer_member_id: 'ann', referee_member_id: id })).status).toBe(400);
      },
    );

    it.each([
      'guest-1001',
      'nu11',
      'nulls',
      '00',
      '-10',
      '100',
      'none@example.com',
      '\ud83d\ude00',
      'false1',
    ])('%j is an id like any other', async (id) => {
      expect((await flow.boot(merchant, { user_id: id, referral_code: code })).body.data['link']).toBe(
        'linked',
      );
    });

    it('that has a code from before this was refused, refers nobody', async () => {
      const stored = { merchantId: merchant.id, memberId: 'undefined', code: 'GG3BXZT7' };
      await flow.database.member.create({ data: { ...stored, lookAlike: new Uint8Array(32) } });
      const booted = await flow.boot(merchant, { user_id: 'bob', referral_code: stored.code });
      expect([booted.status, booted.body.data['link']]).toEqual([200, 'unknown_code']);
      await flow.link(merchant, 'ann', 'bob');
      const params = {
        referral_code: 'is the code of undefined, which is a placeholder and not the id of a member',
      };
      const byCode = { referral_code: stored.code, referee_member_id: 'bob' };
      for (const answer of [await link(byCode), await call('move-link', byCode)])
        expect([answer.status, answer.body.params]).toEqual([400, params]);
    });
  });

  describe('A new id of a member who is renamed', () => {
    const rename = (from: string, into: string) =>
      flow.call(
        '/api/open/members/merge/',
        { from_member_id: from, into_member_id: into, reason: 'why' },
        { key: merchant.secretKey, headers: { 'idempotency-key': randomUUID() } },
      );

    it.each([
      '\u200eann2',
      'ann\u202e2',
      'ann2\u200b',
      '\ufeffann2',
      'ann\u00072',
      ' ann2',
      'ann2 ',
      'ann2\n',
    ])('%j, with characters that cannot be seen, is refused unless the member is known by it', async (id) => {
      const { status, body } = await rename('ann', id);
      expect([status, body.params]).toEqual([
        400,
        {
          into_member_id:
            'must not begin or end with a blank or contain invisible characters: no member has this id yet',
        },
      ]);
      await flow.boot(merchant, { user_id: id });
      expect((await rename('ann', id)).status).toBe(200);
    });
  });
});

describe('Links between members', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const codeOf = async (user_id: string) =>
    String((await flow.boot(merchant, { user_id })).body.data['referral_code']);
  const links = async () =>
    (await flow.database.referral.findMany({ where: { merchantId: merchant.id } })).map(
      ({ referrerMemberId, refereeMemberId }) => `${referrerMemberId} > ${refereeMemberId}`,
    );
  const referralOf = (refereeMemberId: string) =>
    flow.database.referral.findFirstOrThrow({ where: { merchantId: merchant.id, refereeMemberId } });

  describe('referrals that would form a cycle', () => {
    it('A link request that would close a cycle of two or more members is refused', async () => {
      expect((await flow.link(merchant, 'a', 'b')).status).toBe(201);
      for (const [referrer, referee] of [
        ['b', 'c'],
        ['c', 'd'],
        ['d', 'e'],
      ] as const)
        expect((await flow.link(merchant, referrer, referee)).status).toBe(201);
      for (const referrer of ['b', 'c', 'e']) {
        const refused = await flow.link(merchant, referrer, 'a');
        expect([refused.status, refused.body.code]).toEqual([409, 'referral_cycle']);
      }
      expect((await flow.link(merchant, 'a', 'b')).status).toBe(200);
      expect((await flow.link(merchant, 'e', 'b')).body.code).toBe('already_linked');
      expect((await flow.link(merchant, 'x', 'a')).status).toBe(201);
      expect((await links()).length).toBe(5);
    });

    it('A boot request and an operator’s command that would close a cycle are refused', async () => {
      const ann = await codeOf('ann');
      await flow.boot(merchant, { user_id: 'bob', referral_code: ann });
      const back = await flow.boot(merchant, { user_id: 'ann', referral_code: await codeOf('bob') });
      expect([back.status, back.body.data['link'], back.body.data['referrer_linked']]).toEqual([
        200,
        'cycle',
        false,
      ]);
      const command = flow.admin('member link', { merchant: merchant.id, referrer: 'bob', referee: 'ann' });
      await expect(command).rejects.toThrow('must not form a cycle');
      expect(await links()).toEqual(['ann > bob']);
    });

    it('Simultaneous links do not close a cycle', async () => {
      const cycles = Array.from({ length: 8 }, (_, cycle) => [2, 3, 4][cycle % 3] ?? 2).map((size, cycle) =>
        Array.from({ length: size }, (_, index) => `m-${cycle}-${index}`),
      );
      const answers = await Promise.all(
        cycles.map((cycle) =>
          Promise.all(
            cycle.map((member, index) =>
              flow.link(merchant, member, cycle[(index + 1) % cycle.length] as string),
            ),
          ),
        ),
      );
      for (const [cycle, of] of answers.entries())
        expect(of.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
          ...(cycles[cycle]?.slice(1).map(() => 201) ?? []),
          409,
        ]);
    });

    it('Referrals of one merchant do not affect links of another', async () => {
      await flow.link(merchant, 'a', 'b');
      const other = await flow.openMerchant();
      expect((await flow.link(other, 'b', 'a')).status).toBe(201);
    });
  });

  describe('members whose ids look alike', () => {
    it.each([
      ['Mallory', 'mallory '],
      ['mallory', 'mal\u200Blory'],
      ['\uFF4Dallory', 'MALLORY'],
      ['straße', 'STRASSE'],
    ])('A link of %j and %j, which look alike, needs review', async (referrer, referee) => {
      const linked = await flow.link(merchant, referrer, referee);
      expect([linked.status, linked.body.data['flags'], linked.body.data['review']]).toEqual([
        201,
        ['look_alike'],
        'pending',
      ]);
      const signed = await flow.openMerchant();
      const code = (await flow.boot(signed, { user_id: referrer })).body.data['referral_code'];
      await flow.boot(signed, { user_id: referee, referral_code: code });
      expect(
        await flow.database.referral.findFirst({
          where: { merchantId: signed.id, refereeMemberId: referee },
        }),
      ).toMatchObject({ flags: ['look_alike'], review: 'pending' });
    });

    it('A look-alike of any other member of the same merchant is flagged', async () => {
      await flow.link(await flow.openMerchant(), 'x', 'Bob');
      await flow.link(merchant, 'ann', 'bob');
      expect(await referralOf('bob')).toMatchObject({ flags: [], review: 'none' });
      await flow.link(merchant, 'eve', 'BOB\u00AD');
      expect(await referralOf('BOB\u00AD')).toMatchObject({ flags: ['look_alike'], review: 'pending' });
    });

    it('Member ids may be as long and unusual as the contract allows', async () => {
      expect((await flow.link(merchant, '\uFDFA'.repeat(255), `a${'\u200B'.repeat(254)}`)).status).toBe(201);
    });
  });
});
