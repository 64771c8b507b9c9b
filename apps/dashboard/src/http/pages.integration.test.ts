import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';

const url = process.env['TEST_REDIS_URL'] as string;

describe('The pages of the dashboard', () => {
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
