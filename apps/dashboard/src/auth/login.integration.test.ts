import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { boardRequests } from '../../testing/board-requests.ts';
import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';

const url = process.env['TEST_REDIS_URL'] as string;
const files = join(dirname(require.resolve('@bull-board/ui/package.json')), 'dist/static');
const statics = readdirSync(files, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).replace(files, '/static'));

describe('The login of the dashboard', () => {
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
