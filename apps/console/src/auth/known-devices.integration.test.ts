import { connectWorker, disconnect } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { testLog } from '../../../../tests/harness/test-log.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import { openLoginLimits, defaultLimits } from './login-limits.ts';

/** The number of IP addresses that send wrong passwords, and the limit of one account per hour. */
const addresses = 3;
const limits = { ...defaultLimits, email: { points: 12, duration: 3_600 } };

describe('The lock of an account', () => {
  let flow: Flow;
  let running: RunningConsole;
  let redis: Redis;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    redis = connectWorker(flow.environment.redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { what: 'Redis' });
    const { prefix, secretsKey } = flow.environment;
    const open = openLoginLimits({ redis, prefix, secretsKey, limits });
    running = await openConsole(flow.environment, {}, { limits: open });
  });
  afterAll(async () => {
    await running.close();
    await disconnect(redis);
    await flow.close();
  });

  const statusOf = async (browser: ReturnType<RunningConsole['browser']>, email: string, password: string) =>
    (await browser.post('/sign-in', { email, password })).status;
  async function lockOut(email: string) {
    const statuses: number[] = [];
    for (let machine = 0; machine < addresses; machine += 1) {
      const browser = running.browser();
      const tries = Array.from({ length: 5 }, (_, index) => statusOf(browser, email, `guess ${index}`));
      statuses.push(...(await Promise.all(tries)));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.email.points);
    expect(statuses.at(-1)).toBe(429);
  }

  it('A locked account can sign in from a known browser; a command or a password reset unlocks it everywhere', async () => {
    const { browser: known, email } = await running.signUp();
    await known.post('/sign-out');
    await lockOut(email);
    const fresh = running.browser();
    expect(await statusOf(fresh, email, goodPassword)).toBe(429);
    expect(await statusOf(known, email, goodPassword)).toBe(200);
    const unlocked = await flow.admin('user unlock', { email: email.toUpperCase() });
    expect(unlocked).toMatchObject({ email, locksRemoved: 1 + addresses + 1 });
    expect(await statusOf(fresh, email, goodPassword)).toBe(200);
    await expect(flow.admin('user unlock', { email: 'nobody@shop.example' })).rejects.toThrow(
      'There is no console user with the address nobody@shop.example.',
    );
  });

  it('Wrong passwords from a known browser have their own limit, and the device cookie of another account is not accepted', async () => {
    const [mine, other] = [await running.signUp(), await running.signUp()];
    const { browser, email } = mine;
    const statuses = [];
    for (let tries = 0; tries < 11; tries += 1) statuses.push(await statusOf(browser, email, 'guess'));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.at(-1)).toBe(429);
    expect(await statusOf(running.browser(), email, goodPassword)).toBe(200);
    // The cookie of one account does not make the browser known for another one.
    const { headers } = await other.browser.post('/sign-in', {
      email: other.email,
      password: goodPassword,
    });
    const [session = '', device = ''] = [headers['set-cookie']].flat();
    expect(session).toMatch(/^rewardhook=/);
    expect(device).toMatch(
      /^rewardhook-device-[\w-]{11}=[\w-]{22}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(device).not.toContain('owner');
    const { headers: own } = await running.browser().post('/sign-in', { email, password: goodPassword });
    const name = [own['set-cookie']].flat()[1]?.split('=')[0];
    const forged = `${name}=${device.split('=')[1]?.split(';')[0]}`;
    const thief = running.browser();
    for (let tries = 0; tries < 11; tries += 1)
      await thief.send('POST', '/sign-in', { email, password: 'guess' }, { cookie: forged });
    const last = await thief.send('POST', '/sign-in', { email, password: goodPassword }, { cookie: forged });
    expect(last.status).toBe(429);
  });
});
