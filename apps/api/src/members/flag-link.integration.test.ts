import { startFlow, startPrivateRedis } from '../../../../tests/harness/index.ts';

describe('velocity flags', () => {
  it('are counted by each process while Redis is away, and boot works on', async () => {
    const redis = await startPrivateRedis();
    const flow = await startFlow({
      workers: false,
      redisUrl: redis.url,
      linksPerHour: { perCode: 0, perAddress: 0 },
    });
    try {
      const shop = await flow.openMerchant();
      const referral_code = (await flow.boot(shop, { user_id: 'ann' })).body.data['referral_code'];
      await flow.boot(shop, { user_id: 'bob', referral_code });
      await redis.kill('SIGKILL');
      const answer = await flow.boot(shop, { user_id: 'carl', referral_code });
      expect([answer.status, answer.body.data['link']]).toEqual([200, 'linked']);
      const referrals = await flow.database.referral.findMany({ where: { merchantId: shop.id } });
      expect(Object.fromEntries(referrals.map((one) => [one.refereeMemberId, one.flags]))).toEqual({
        bob: ['code_velocity', 'address_velocity'],
        carl: ['code_velocity', 'address_velocity'],
      });
    } finally {
      await flow.close();
      await redis.remove();
    }
  });
});
