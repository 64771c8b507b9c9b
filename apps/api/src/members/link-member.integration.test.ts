import { upsertOrders } from '@rewardhook/database/stages';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { linkPath } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
let code: string;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  code = String((await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code']);
});
afterAll(() => flow.close());

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
