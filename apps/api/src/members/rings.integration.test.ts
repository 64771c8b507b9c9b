import { startFlow } from '../../../../tests/harness/index.ts';
import type { Flow, Merchant } from '../../../../tests/harness/index.ts';

let flow: Flow;
let shop: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  shop = await flow.openMerchant();
});
afterAll(() => flow.close());

const codeOf = async (user_id: string) =>
  String((await flow.boot(shop, { user_id })).body.data['referral_code']);
const links = async () =>
  (await flow.database.referral.findMany({ where: { merchantId: shop.id } })).map(
    ({ referrerMemberId, refereeMemberId }) => `${referrerMemberId} > ${refereeMemberId}`,
  );
const referralOf = (refereeMemberId: string) =>
  flow.database.referral.findFirstOrThrow({ where: { merchantId: shop.id, refereeMemberId } });

describe('referrals that would form a ring', () => {
  it('are refused by link, whether of two members or of many', async () => {
    expect((await flow.link(shop, 'a', 'b')).status).toBe(201);
    for (const [referrer, referee] of [
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'e'],
    ] as const)
      expect((await flow.link(shop, referrer, referee)).status).toBe(201);
    for (const referrer of ['b', 'c', 'e']) {
      const refused = await flow.link(shop, referrer, 'a');
      expect([refused.status, refused.body.code]).toEqual([409, 'referral_cycle']);
    }
    expect((await flow.link(shop, 'a', 'b')).status).toBe(200);
    expect((await flow.link(shop, 'e', 'b')).body.code).toBe('already_linked');
    expect((await flow.link(shop, 'x', 'a')).status).toBe(201);
    expect((await links()).length).toBe(5);
  });

  it('are refused by boot and by the operator’s command', async () => {
    const ann = await codeOf('ann');
    await flow.boot(shop, { user_id: 'bob', referral_code: ann });
    const back = await flow.boot(shop, { user_id: 'ann', referral_code: await codeOf('bob') });
    expect([back.status, back.body.data['link'], back.body.data['referrer_linked']]).toEqual([
      200,
      'cycle',
      false,
    ]);
    const command = flow.admin('member link', { merchant: shop.id, referrer: 'bob', referee: 'ann' });
    await expect(command).rejects.toThrow('must not form a ring');
    expect(await links()).toEqual(['ann > bob']);
  });

  it('are not closed by links that come at the same moment', async () => {
    const rings = Array.from({ length: 8 }, (_, ring) => [2, 3, 4][ring % 3] ?? 2).map((size, ring) =>
      Array.from({ length: size }, (_, index) => `m-${ring}-${index}`),
    );
    const answers = await Promise.all(
      rings.map((ring) =>
        Promise.all(
          ring.map((member, index) => flow.link(shop, member, ring[(index + 1) % ring.length] as string)),
        ),
      ),
    );
    for (const [ring, of] of answers.entries())
      expect(of.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...(rings[ring]?.slice(1).map(() => 201) ?? []),
        409,
      ]);
  });

  it('of one merchant stop no link of another', async () => {
    await flow.link(shop, 'a', 'b');
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
  ])('are different members, and a link of %j and %j needs review', async (referrer, referee) => {
    const linked = await flow.link(shop, referrer, referee);
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

  it('are noticed when the other one is somebody else than the referrer, and of this merchant alone', async () => {
    await flow.link(await flow.openMerchant(), 'x', 'Bob');
    await flow.link(shop, 'ann', 'bob');
    expect(await referralOf('bob')).toMatchObject({ flags: [], review: 'none' });
    await flow.link(shop, 'eve', 'BOB\u00AD');
    expect(await referralOf('BOB\u00AD')).toMatchObject({ flags: ['look_alike'], review: 'pending' });
  });

  it('may be as long and as strange as the contract allows', async () => {
    expect((await flow.link(shop, '\uFDFA'.repeat(255), '\u200B'.repeat(255))).status).toBe(201);
  });
});
