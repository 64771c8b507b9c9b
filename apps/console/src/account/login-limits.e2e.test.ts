import { randomBytes } from 'node:crypto';
import { connectProducer, disconnect } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { scaled, waitFor } from '@rewardhook/testing';
import { testLog } from '../../../../tests/harness/test-log.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import { openLoginLimits, defaultLimits } from './login-limits.ts';

const limits = {
  pair: { points: 3, duration: 60 },
  address: { points: 5, duration: 60 },
  email: { points: 7, duration: 60 },
  signUp: { points: 2, duration: 60 },
};

describe('The sign-in limits', () => {
  let flow: Flow;
  let running: RunningConsole;
  let redis: Redis;
  const open = (connection: Redis, prefix = flow.environment.prefix) =>
    openLoginLimits({ redis: connection, prefix, secretsKey: flow.environment.secretsKey, limits });
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    redis = connectProducer(flow.environment.redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { what: 'Redis' });
    running = await openConsole(flow.environment, {}, { limits: open(redis) });
  });
  afterAll(async () => {
    await running.close();
    await disconnect(redis);
    await flow.close();
  });

  it('Guessing one password from one IP address is refused with the time of the next attempt', async () => {
    const { email } = await running.signUp();
    const browser = running.browser();
    const guess = (password = 'guess') => browser.post('/sign-in', { email, password });
    for (let tries = 0; tries < 3; tries += 1) expect((await guess()).status).toBe(401);
    const refused = await guess(goodPassword);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    const elsewhere = await running.browser().post('/sign-in', { email, password: goodPassword });
    expect(elsewhere.status).toBe(200);
  });

  it('A right password resets the count of wrong ones', async () => {
    const { email } = await running.signUp();
    const browser = running.browser();
    const guess = async (password: string) => (await browser.post('/sign-in', { email, password })).status;
    const statuses = [];
    for (const password of ['a', 'b', goodPassword, 'c', 'd']) statuses.push(await guess(password));
    expect(statuses).toEqual([401, 401, 200, 401, 401]);
  });

  it('Unknown e-mail addresses have the same limits as known ones', async () => {
    const browser = running.browser();
    const guess = () => browser.post('/sign-in', { email: 'nobody@example.com', password: 'guess' });
    const statuses = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('Many e-mail addresses from one IP address or IPv6 network are refused, and one e-mail address from many', async () => {
    const tried = open(redis, `{test-${randomBytes(6).toString('hex')}}`);
    for (let tries = 0; tries < 5; tries += 1)
      await tried.tryPassword(`2001:db8::${tries}`, `user-${tries}@example.com`, undefined);
    await expect(tried.tryPassword('2001:db8::99', 'new@example.com', undefined)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    for (let tries = 0; tries < 7; tries += 1)
      await tried.tryPassword(`10.0.0.${tries}`, 'one@example.com', undefined);
    await expect(tried.tryPassword('10.0.0.99', 'one@example.com', undefined)).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('One merchant cannot use up the mails that another merchant may send to the same address', async () => {
    const tried = open(redis, `{test-${randomBytes(6).toString('hex')}}`);
    const invite = (merchantId: string, address = merchantId) =>
      tried.tryMerchantMail('inviteTo', address, { merchantId, recipient: 'ann@example.com' });
    for (let tries = 0; tries < 3; tries += 1) await invite('loud');
    await expect(invite('loud')).rejects.toMatchObject({ code: 'rate_limited' });
    await invite('other');
    for (let merchant = 0; merchant < 26; merchant += 1) await invite(`shop-${merchant}`);
    await expect(invite('one-too-many')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('One IP address can sign up a few times only', async () => {
    const browser = running.browser();
    const signUp = async (number: number) =>
      (await browser.post('/sign-up', { email: `many-${number}@example.com` })).status;
    expect([await signUp(1), await signUp(2), await signUp(3)]).toEqual([202, 202, 429]);
  });

  it('Each process counts in its memory while Redis is unavailable', async () => {
    const away = connectProducer('redis://127.0.0.1:1', testLog);
    const alone = open(away);
    const started = performance.now();
    for (let tries = 0; tries < 3; tries += 1)
      await alone.tryPassword('10.1.1.1', 'a@example.com', undefined);
    await expect(alone.tryPassword('10.1.1.1', 'a@example.com', undefined)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(performance.now() - started).toBeLessThan(scaled(500));
    await disconnect(away);
  });

  it('Redis contains neither IP addresses nor e-mail addresses', async () => {
    const keys = await redis.keys(`${flow.environment.prefix}:login:*`);
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.join(' ')).not.toMatch(/example|10\.\d+\./);
    expect(defaultLimits.pair.points).toBe(10);
  });
});
