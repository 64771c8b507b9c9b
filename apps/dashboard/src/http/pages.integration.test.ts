import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';

const url = process.env['TEST_REDIS_URL'] as string;

describe('the pages', () => {
  let dashboard: TestDashboard;
  beforeAll(async () => (dashboard = await openDashboard(url)));
  afterAll(() => dashboard.close());

  it('start at the root, at the same addresses for both roles', async () => {
    for (const role of ['operator', 'viewer'] as const)
      for (const path of ['/', '/queue/sync', '/queue/sync/v7']) {
        const { text } = await dashboard.send(role, 'get', path).expect(200).expect('content-type', /html/);
        expect(text).toContain('<base href="/" />');
        expect(text).toContain(role);
      }
  });

  it('stay out of frames, caches and referrers, and load nothing from elsewhere', async () => {
    for (const path of ['/', '/api/queues', '/nothing']) {
      const { headers } = await dashboard.send('viewer', 'get', path);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });

  it('answer what is not there in the form that was asked for', async () => {
    const nothing = (accept: string) =>
      dashboard.send('viewer', 'get', '/no/such/page').set({ accept }).expect(404);
    expect((await nothing('text/html')).text).toContain('<p>There is nothing here.</p>');
    expect((await nothing('application/json')).body).toEqual({
      code: 'not_found',
      error: 'There is nothing here.',
    });
    expect((await nothing('*/*')).text).toBe('There is nothing here.\n');
    await dashboard.send('viewer', 'get', '/api/nothing').expect(404).expect('content-type', /json/);
  });

  it('answer what cannot be read without repeating it', async () => {
    await dashboard.send('viewer', 'get', '/queue/%').expect(400);
    const { text } = await dashboard
      .send('operator', 'put', '/api/queues/sync/rate-limit')
      .set('content-type', 'application/json')
      .send('{"MARK')
      .expect(400);
    expect(text).not.toContain('MARK');
  });
});
