import { browserUserAgent } from '../../../../tests/harness/call-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../../tests/harness/private-redis.ts';

describe('the hourly limits', () => {
  const limits = { membersPerMerchant: 3, membersPerAddress: 2, clicksPerCode: 2, clicksPerAddress: 2 };

  it('The members of a public key and the clicks of a share link are limited per merchant and per address, also without Redis', async () => {
    const redis = await startPrivateRedis();
    const flow = await startFlow({ workers: false, redisUrl: redis.url, limits, trustedProxies: 1 });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    try {
      for (const state of ['with Redis', 'without Redis']) {
        if (state === 'without Redis') await redis.kill('SIGKILL');
        const merchant = await flow.openMerchant();
        await flow.admin('merchant update', {
          merchant: merchant.id,
          'landing-url': 'https://shop.example.com/',
          'require-user-hash': 'false',
        });
        const boot = async (user_id: string, address: string) =>
          (await flow.boot(merchant, { user_id }, from(address))).status;
        expect([await boot('a', '192.0.2.1'), await boot('b', '192.0.2.1')]).toEqual([200, 200]);
        const refused = await flow.boot(merchant, { user_id: 'c' }, from('192.0.2.1'));
        expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
        const retryAfter = Number(refused.headers.get('retry-after'));
        expect(retryAfter).toBeGreaterThan(3_500);
        expect(retryAfter).toBeLessThanOrEqual(3_600);
        // Known members and other addresses are still served.
        expect([await boot('a', '192.0.2.1'), await boot('c', '192.0.2.2')]).toEqual([200, 200]);
        expect(await boot('d', '192.0.2.3')).toBe(429);
        expect(await flow.database.member.count({ where: { merchantId: merchant.id } })).toBe(3);

        // An unverified request is refused, whether or not the member is known.
        const code = String((await flow.boot(merchant, { user_id: 'a' })).body.data['referral_code']);
        for (const user_id of ['a', 'b', 'e'])
          expect(
            (
              await flow.boot(
                merchant,
                { user_id, user_hash: undefined, referral_code: code },
                from('192.0.2.9'),
              )
            ).status,
          ).toBe(429);

        const follow = async (address: string) => {
          const answer = await fetch(`${flow.url}/r/${code}`, {
            redirect: 'manual',
            headers: { 'x-forwarded-for': address, 'user-agent': browserUserAgent },
          });
          return [answer.status, new URL(answer.headers.get('location') ?? '').searchParams.has('rh_click')];
        };
        expect([await follow('192.0.2.1'), await follow('192.0.2.1')]).toEqual([
          [302, true],
          [302, true],
        ]);
        expect(await follow('192.0.2.1')).toEqual([302, false]);
        expect(await follow('192.0.2.2')).toEqual([302, false]);
        expect(await flow.database.click.count({ where: { merchantId: merchant.id } })).toBe(2);
      }
    } finally {
      await flow.close();
      await redis.remove();
    }
  });
});

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
