import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
  merchant = await flow.openMerchant();
  await flow.openMerchant();
});
afterAll(() => flow.close());

const find = async (options: Record<string, string>) => {
  const { merchants } = await flow.admin('merchant find', options);
  return (merchants as { id: string; found: string }[]).map(({ id, found }) => [id, found]);
};

describe('merchant find', () => {
  it('finds a merchant by the address of a user, and by its contact address', async () => {
    await flow.database.user.create({
      data: {
        id: 'usr_1',
        email: 'ann@shop.example',
        passwordHash: '',
        memberships: { create: { merchantId: merchant.id, role: 'viewer' } },
      },
    });
    const data = { contactEmail: 'Contact@shop.example' };
    await flow.database.merchant.update({ where: { id: merchant.id }, data });
    expect(await find({ email: 'Ann@Shop.example' })).toEqual([[merchant.id, 'usr_1']]);
    expect(await find({ email: 'contact@shop.example' })).toEqual([[merchant.id, 'contact']]);
    expect(await find({ email: 'nobody@shop.example' })).toEqual([]);
  });

  it('finds a merchant by the end of a key, and by an order', async () => {
    const [key] = await flow.database.apiKey.findMany({ where: { merchantId: merchant.id, kind: 'secret' } });
    expect(await find({ 'key-ends': merchant.secretKey.slice(-4) })).toEqual([[merchant.id, key?.id]]);
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'A-77' }));
    expect(await find({ order: 'A-77' })).toEqual([[merchant.id, 'A-77']]);
  });

  it('finds a merchant by a part of a URL, and webhook find the webhook', async () => {
    const url = 'https://hooks.example.com/50%_off?token=t';
    const { webhookId } = await flow.admin('webhook add', {
      merchant: merchant.id,
      url,
      events: 'reward.issue',
    });
    expect(await find({ url: 'hooks.example.com/50%_off' })).toEqual([[merchant.id, webhookId]]);
    expect(await find({ url: 'hooks.example.com/50__off' })).toEqual([]);
    const { webhooks } = await flow.admin('webhook find', { url: 'hooks.example' });
    expect(webhooks).toEqual([
      { merchantId: merchant.id, merchantName: expect.any(String), webhookId, url, status: 'active' },
    ]);
  });

  it('needs exactly one thing to look for', async () => {
    const wanted = 'Give one of --email, --url, --key-ends and --order.';
    await expect(find({})).rejects.toThrow(wanted);
    await expect(find({ order: 'A-77', url: 'x' })).rejects.toThrow(wanted);
  });
});
