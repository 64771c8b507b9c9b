import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

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
      await flow.database.referral.findFirst({ where: { merchantId: signed.id, refereeMemberId: referee } }),
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
