import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../../tests/harness/private-redis.ts';

describe('velocity flags', () => {
  it('While Redis is unavailable, links are counted in the process, and boot works', async () => {
    const redis = await startPrivateRedis();
    const flow = await startFlow({
      workers: false,
      redisUrl: redis.url,
      limits: { linksPerCode: 0, linksPerAddress: 0 },
    });
    try {
      const merchant = await flow.openMerchant();
      const referral_code = (await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code'];
      await flow.boot(merchant, { user_id: 'bob', referral_code });
      await redis.kill('SIGKILL');
      const answer = await flow.boot(merchant, { user_id: 'carl', referral_code });
      expect([answer.status, answer.body.data['link']]).toEqual([200, 'linked']);
      const referrals = await flow.database.referral.findMany({ where: { merchantId: merchant.id } });
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
