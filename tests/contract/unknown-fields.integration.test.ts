import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const linkPath = '/api/open/members/link/';
const strict = { prefer: 'handling=strict' };

describe('unknown fields of a request', () => {
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    shop = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  const send = (path: string, body: unknown, headers = {}) =>
    flow.call(path, body, { key: shop.secretKey, headers });

  it('An order with unknown fields is accepted with warnings that name the field, the order and the likely name', async () => {
    const order = buildOrder({ order_id: '1001', canceled_at: null } as never);
    const other = buildOrder({ order_id: '1002', items: [buildItem({ colour: 'red' } as never)] });
    const { status, body } = await send(syncPath, { orders: [buildOrder(), order, other], dry_run: true });
    expect([status, body]).toEqual([
      202,
      {
        data: { accepted_count: 3 },
        warnings: {
          dry_run: 'is not a known field',
          'orders[1].canceled_at': 'is not a known field: did you mean cancelled_at?',
          'orders[2].items[0].colour': 'is not a known field',
        },
        order_ids: { 'orders[1]': '1001', 'orders[2]': '1002' },
      },
    ]);
  });

  it('A placeholder in place of a member id is accepted with a warning, in strict mode too', async () => {
    const of = (order_id: string, member_id: string) => buildOrder({ order_id, member_id });
    const orders = [of('1', 'guest-1001'), of('2', ' Undefined\u200b'), of('3', 'null')];
    const warning =
      'is a placeholder such as undefined or guest: all orders with it are those of one member, who cannot be referred';
    for (const headers of [{}, strict])
      expect(await send(syncPath, { orders }, headers)).toMatchObject({
        status: 202,
        body: {
          data: { accepted_count: 3 },
          warnings: { 'orders[1].member_id': warning },
          order_ids: { 'orders[1]': '2' },
        },
      });
  });

  it('The response to a request without unknown fields has no warnings', async () => {
    expect((await send(syncPath, { orders: [buildOrder()] })).body).toEqual({ data: { accepted_count: 1 } });
  });

  it.each(['handling=strict', 'respond-async, handling="strict"; foo', 'HANDLING = STRICT'])(
    'Prefer: %s refuses unknown fields, and stores nothing',
    async (prefer) => {
      const before = await flow.queues.pending('sync');
      const order = buildOrder({ order_id: '1003', canceled_at: null } as never);
      const { status, body, headers } = await send(syncPath, { orders: [order] }, { prefer });
      expect([status, body.code, body.params, body.order_ids]).toEqual([
        400,
        'invalid_request',
        { 'orders[0].canceled_at': 'is not a known field: did you mean cancelled_at?' },
        { 'orders[0]': '1003' },
      ]);
      expect(headers.get('preference-applied')).toBe('handling=strict');
      expect(await flow.queues.pending('sync')).toBe(before);
    },
  );

  it.each(['handling=lenient', 'handling=strictly', 'xhandling=strict', 'strict'])(
    'Prefer: %s does not refuse unknown fields',
    async (prefer) => {
      const { status, headers } = await send(syncPath, { orders: [buildOrder()], note: 1 }, { prefer });
      expect([status, headers.get('preference-applied')]).toEqual([202, null]);
    },
  );

  it('A link request with an unknown field is accepted with a warning, and refused in strict mode', async () => {
    const link = { referrer_member_id: 'alice', referee_member_id: 'bob', referralCode: 'X' };
    const warning = { referralCode: 'is not a known field: did you mean referral_code?' };
    const refused = await send(linkPath, link, strict);
    expect([refused.status, refused.body.params]).toEqual([400, warning]);
    const accepted = await send(linkPath, link);
    expect([accepted.status, accepted.body]).toMatchObject([201, { warnings: warning }]);
  });

  it('An error of 1,000 invalid orders is at most 200 kB long', async () => {
    const orders = Array.from({ length: 1_000 }, (_, n) => ({ order_id: `order number ${n}` }));
    const { status, body } = await send(syncPath, { orders });
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(200_000);
    expect(body.params?.['body']).toBe('has more invalid fields than the 1000 listed here');
  });
});
