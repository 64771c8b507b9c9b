import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../../tests/harness/private-redis.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { PrivateRedis } from '../../../../tests/harness/private-redis.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { Answer, RunningConsole } from '../../testing/open-console.ts';

/** 30 at once. */
const perSecond = 1;
const flooding = 90;

describe('the limit of a client address in the console', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let running: RunningConsole;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    running = await openConsole(flow.environment, {}, { addressRequestsPerSecond: perSecond });
  });
  afterAll(async () => {
    await redis.kill('SIGCONT');
    await running.close();
    await flow.close();
    await redis.remove();
  });
  const flood = (run: (index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: flooding }, (_, index) => run(index)));
  const count = (answers: Answer[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  it.each(['/invitations/x', '/sign-ups/x', '/password-resets/x', '/contact-confirmations/x'])(
    'Guessing links at %s is refused with 429, and a signed-in user at the same address is not disturbed',
    async (path) => {
      const address = `192.0.2.${path.length}`;
      const user = running.browser(address);
      await running.createAccount(user, `user-${path.length}@example.com`, 'Tea shop');
      const answers = await flood(() => running.browser(address).get(path));
      expect(count(answers, 404) + count(answers, 429)).toBe(flooding);
      const refused = answers.find(({ status }) => status === 429) as Answer;
      expect(refused.body.code).toBe('rate_limited');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await user.get('/session')).status).toBe(200);
      expect((await running.browser().get(path)).status).toBe(404);
    },
  );

  it('Sign-in, sign-up and password resets have the limit too, counted over an IPv6 network', async () => {
    const email = 'nobody@example.com';
    const bodies = {
      '/sign-in': { email, password: goodPassword },
      '/sign-up': { email },
      '/password-resets': { email },
    };
    let network = 1;
    for (const [path, body] of Object.entries(bodies)) {
      network += 1;
      const answers = await flood((index) =>
        running.browser(`2001:db8:0:${network}::${index.toString(16)}`).post(path, body),
      );
      expect(count(answers, 429)).toBeGreaterThan(0);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
    const metrics = await running.dependencies.metrics.registry.metrics();
    expect(metrics).toContain('rewardhook_requests_refused_total{reason="address_requests"}');
  });

  it.each(['SIGSTOP', 'SIGKILL'] as const)(
    'After %s of Redis the limit holds in this process, and no request fails because of it',
    async (signal) => {
      await redis.kill(signal);
      const address = signal === 'SIGSTOP' ? '198.51.100.1' : '198.51.100.2';
      const answers = await flood(() => running.browser(address).get('/invitations/x'));
      expect(count(answers, 404)).toBeGreaterThan(0);
      expect(count(answers, 429)).toBeGreaterThan(0);
      expect(count(answers, 404) + count(answers, 429)).toBe(flooding);
      if (signal === 'SIGKILL') await redis.start();
      else await redis.kill('SIGCONT');
    },
  );

  it('The audit does not grow with the requests of strangers for mails', async () => {
    const audit = () => flow.database.auditEntry.count();
    const before = await audit();
    // From many addresses, for many recipients: no other limit applies.
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        running
          .browser(`10.${index % 200}.7.${1 + (index >> 8)}`)
          .post('/password-resets', { email: `stranger-${index}@example.com` }),
      ),
    );
    expect(count(answers, 202)).toBe(300);
    const added = (await audit()) - before;
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(300);
    expect(running.logged()).toContain(
      'callers that are not signed in make more calls than the audit records',
    );
  });
});
