import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const show = (member: string, key = merchant.secretKey): Promise<Answer> =>
  flow.call(`/api/open/members/${encodeURIComponent(member)}/`, undefined, { key, method: 'GET' });

describe('GET /api/open/members/{member_id}/', () => {
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

  it('An unknown member, and a member of another merchant, are not found', async () => {
    const other = await flow.openMerchant();
    await flow.link(other, 'ann', 'bob');
    for (const member of ['bob', 'a\0b', 'x'.repeat(5_000)]) {
      const { status, body } = await show(member);
      expect([member.length, status, body.code]).toEqual([member.length, 404, 'not_found']);
    }
    expect((await show('bob', other.secretKey)).status).toBe(200);
  });

  it('A public key is refused', async () => {
    const { status, body } = await show('ann', merchant.publicKey);
    expect([status, body.code]).toEqual([401, 'secret_key_required']);
  });
});
