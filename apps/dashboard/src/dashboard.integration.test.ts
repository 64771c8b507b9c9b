import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDashboard } from '../testing/open-dashboard.ts';
import type { TestDashboard } from '../testing/open-dashboard.ts';
import { boardRequests } from '../testing/board-requests.ts';
import { finishJobs } from '../testing/finish-jobs.ts';

describe('The pages of the dashboard', () => {
  const url = process.env['TEST_REDIS_URL'] as string;

  let dashboard: TestDashboard;
  beforeAll(async () => (dashboard = await openDashboard(url)));
  afterAll(() => dashboard.close());

  it('The pages of the dashboard have the same paths for both roles', async () => {
    for (const role of ['operator', 'viewer'] as const)
      for (const path of ['/', '/queue/sync', '/queue/sync/v7']) {
        const { text } = await dashboard.send(role, 'get', path).expect(200).expect('content-type', /html/);
        expect(text).toContain('<base href="/" />');
        expect(text).toContain(role);
      }
  });

  it('Every response forbids frames, caches, referrers and content from other origins', async () => {
    for (const path of ['/', '/api/queues', '/nothing']) {
      const { headers } = await dashboard.send('viewer', 'get', path);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none';script-src 'self';");
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });

  it('An unknown path is answered 404 in the accepted content type', async () => {
    const nothing = (accept: string) =>
      dashboard.send('viewer', 'get', '/no/such/page').set({ accept }).expect(404);
    expect((await nothing('text/html')).text).toContain('<p>Not found.</p>');
    expect((await nothing('application/json')).body).toEqual({
      code: 'not_found',
      error: 'Not found.',
    });
    expect((await nothing('*/*')).text).toBe('Not found.\n');
    await dashboard.send('viewer', 'get', '/api/nothing').expect(404).expect('content-type', /json/);
  });

  it('A request that cannot be read is answered 400 without repeating its content', async () => {
    await dashboard.send('viewer', 'get', '/queue/%').expect(400);
    const { text } = await dashboard
      .send('operator', 'put', '/api/queues/sync/rate-limit')
      .set('content-type', 'application/json')
      .send('{"MARK')
      .expect(400);
    expect(text).not.toContain('MARK');
  });
});

describe('The login of the dashboard', () => {
  const url = process.env['TEST_REDIS_URL'] as string;
  const files = join(dirname(require.resolve('@bull-board/ui/package.json')), 'dist/static');
  const statics = readdirSync(files, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replace(files, '/static'));

  let dashboard: TestDashboard;
  beforeEach(async () => (dashboard = await openDashboard(url)));
  afterEach(() => dashboard.close());

  it('No path, method or file of the dashboard is served without a login', async () => {
    const requests = [
      ...boardRequests({ queueName: 'sync', jobId: '1', queueStatus: 'failed' }),
      ...statics.map((path) => ({ method: 'get', path })),
      ...['/metrics', '/health/ready', '/nothing', '/%', '/static/../package.json', '//'].flatMap((path) =>
        ['get', 'head', 'options', 'post', 'delete'].map((method) => ({ method, path })),
      ),
    ];
    expect(statics.length).toBeGreaterThan(20);
    for (const { method, path } of requests) {
      const { status, headers, text } = await dashboard.send(undefined, method, path);
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
      expect(headers['www-authenticate']).toContain('Basic realm=');
      if (method !== 'head') expect(text).toContain('Log in to see the queues.');
    }
  });

  it('User and password select the role', async () => {
    const shown = async (role: 'operator' | 'viewer') => {
      const { body } = await dashboard.send(role, 'get', '/api/queues').expect(200);
      return (body as { queues: { name: string; readOnlyMode: boolean }[] }).queues.map(
        ({ name, readOnlyMode }) => [name, readOnlyMode],
      );
    };
    const names = ['sync', 'reward-evaluation', 'webhook-delivery'];
    expect(await shown('operator')).toEqual(names.map((name) => [name, false]));
    expect(await shown('viewer')).toEqual(names.map((name) => [name, true]));
  });

  it.each([
    ['operator', 'viewer password'],
    ['viewer', 'operator: päss'],
    ['operator', 'operator'],
    ['operator', ''],
    ['', 'operator: päss'],
    ['Operator', 'operator: päss'],
  ])('The user "%s" with the password "%s" is refused', async (user, password) => {
    await dashboard
      .login(user, password)
      .expect(401, { code: 'login_required', error: 'Wrong user or password.' });
  });

  it.each(['Basic', 'Basic !!!', 'Basic b3BlcmF0b3I=', 'Bearer abc', 'Basic YTpi YTpi'])(
    'The header "%s" is refused',
    async (header) => {
      await dashboard.send(undefined, 'get', '/').set('authorization', header).expect(401);
    },
  );

  it('After ten wrong passwords an address is locked out, also with the right password', async () => {
    for (let tries = 0; tries < 10; tries += 1)
      await dashboard.login('operator', `guess ${tries}`).expect(401);
    const { headers, body } = await dashboard.send('operator', 'get', '/api/queues').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(body).toMatchObject({ code: 'rate_limited' });
  });

  it('Behind a trusted proxy the address that failed is locked out, and another address is not', async () => {
    const proxied = await openDashboard(url, { trustedProxies: 1 });
    const from = (address: string, password: string) =>
      proxied.login('operator', password).set('x-forwarded-for', address);
    // The value that the client sets comes first in the header and is ignored.
    for (let tries = 0; tries < 10; tries += 1)
      await from(`192.0.2.${tries}, 203.0.113.7`, `guess ${tries}`).expect(401);
    await from('203.0.113.7', 'operator: päss').expect(429);
    await from('203.0.113.8', 'operator: päss').expect(200);
    for (let tries = 0; tries < 10; tries += 1)
      await from(`2001:db8::${tries}`, `guess ${tries}`).expect(401);
    await from('2001:db8::ffff', 'operator: päss').expect(429);
    await proxied.close();
  });

  it('Without a trusted proxy X-Forwarded-For is ignored', async () => {
    for (let tries = 0; tries < 10; tries += 1)
      await dashboard
        .login('operator', `guess ${tries}`)
        .set('x-forwarded-for', `192.0.2.${tries}`)
        .expect(401);
    await dashboard.login('operator', 'operator: päss').set('x-forwarded-for', '198.51.100.1').expect(429);
  });

  it('A request without credentials does not count as a failed login', async () => {
    for (let tries = 0; tries < 12; tries += 1) await dashboard.send(undefined, 'get', '/').expect(401);
    await dashboard.send('operator', 'get', '/api/queues').expect(200);
  });
});

describe('Changes of the queues', () => {
  const url = process.env['TEST_REDIS_URL'] as string;
  const data = { merchantId: 'mer_0123456789ABCDEFGHIJKL', endpointId: 'whk_0123456789ABCDEFGHIJKL' };

  let dashboard: TestDashboard;
  let failedId: string;
  beforeEach(async () => {
    dashboard = await openDashboard(url);
    const { id } = await dashboard.queue('webhook-delivery').add('webhook-delivery', data, { attempts: 1 });
    failedId = id as string;
    await finishJobs(dashboard, new Error('no'));
    await dashboard.queue('webhook-delivery').add('webhook-delivery', data, { delay: 3_600_000 });
  });
  afterEach(() => dashboard.close());

  const queue = () => dashboard.queue('webhook-delivery');
  /** All keys of the queues in Redis, except the one that BullMQ lets expire by itself. */
  const stored = async () => {
    const all = await dashboard.redis.keys(`${dashboard.prefix}:*`);
    const keys = all.filter((key) => !key.endsWith(':stalled-check')).sort();
    const values = await Promise.all(keys.map((key) => dashboard.redis.dump(key)));
    return keys.map((key, index) => [key, values[index]]);
  };
  const changing = (queueStatus: string) =>
    boardRequests({ queueName: 'webhook-delivery', jobId: failedId, queueStatus }).filter(
      ({ method }) => method !== 'get',
    );

  it('A viewer can change nothing', async () => {
    const before = await stored();
    const requests = [...changing('failed'), ...changing('completed'), ...changing('delayed')];
    expect(requests.some(({ path }) => path.endsWith('/obliterate'))).toBe(true);
    for (const { method, path } of requests) {
      const sent = await dashboard.send('viewer', method, path).send({
        force: true,
        jobData: {},
        name: 'sync',
        data: {},
        concurrency: 1,
        priority: 1,
        max: 1,
        duration: 1,
      });
      expect({ method, path, status: sent.status }).toEqual({ method, path, status: 403 });
    }
    expect(await stored()).toEqual(before);
    expect(await queue().isPaused()).toBe(false);
  });

  it('An operator can retry a failed job', async () => {
    await dashboard.send('operator', 'put', `/api/queues/webhook-delivery/${failedId}/retry`).expect(204);
    expect(await queue().getJobState(failedId)).toBe('waiting');
  });

  it('An operator can pause, resume, retry all, promote and clean', async () => {
    const put = (what: string) => dashboard.send('operator', 'put', `/api/queues/webhook-delivery/${what}`);
    await put('pause').expect(200);
    expect(await queue().isPaused()).toBe(true);
    await put('resume').expect(200);
    expect(await queue().isPaused()).toBe(false);
    await put('retry/failed').expect(200, { retried: 1, skipped: 0 });
    await put('retry/active').expect(400);
    await put('promote').expect(200);
    expect(await queue().getJobCounts('waiting', 'delayed', 'failed')).toEqual({
      waiting: 2,
      delayed: 0,
      failed: 0,
    });
    await put(`${failedId}/clean`).expect(204);
    expect(await queue().getWaitingCount()).toBe(1);
  });

  it('Not even an operator can write the content of jobs', async () => {
    const before = await stored();
    const path = '/api/queues/webhook-delivery';
    await dashboard.send('operator', 'post', `${path}/add`).send({ name: 'x', data: {} }).expect(403);
    await dashboard
      .send('operator', 'patch', `${path}/${failedId}/update-data`)
      .send({ jobData: {} })
      .expect(403);
    expect(await stored()).toEqual(before);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://shop.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
  ])('Changes with the headers of another site are refused: %p', async (headers) => {
    const { body } = await dashboard
      .send('operator', 'put', `/api/queues/webhook-delivery/${failedId}/retry`)
      .set(headers)
      .expect(403);
    expect(body).toMatchObject({ code: 'cross_site' });
    expect(await queue().getJobState(failedId)).toBe('failed');
  });

  it('Changes from the page itself are accepted', async () => {
    await dashboard
      .send('operator', 'put', `/api/queues/webhook-delivery/${failedId}/retry`)
      .set({ host: 'jobs.example:3001', origin: 'http://jobs.example:3001', 'sec-fetch-site': 'same-origin' })
      .expect(204);
  });
});
