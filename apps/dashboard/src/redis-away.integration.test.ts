import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, scaled, waitFor } from '@rewardhook/testing';
import { startRedis } from '@rewardhook/testing/servers';
import type { Server } from '@rewardhook/testing/servers';
import { openDashboard } from '../testing/open-dashboard.ts';
import type { TestDashboard } from '../testing/open-dashboard.ts';

describe('The dashboard without Redis', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dashboard-'));
  let dashboard: TestDashboard;
  let redis: Server | undefined;
  afterAll(async () => {
    await dashboard.close();
    await redis?.stop();
    rmSync(dir, { recursive: true });
  });

  it('The API answers 503 at once, the page is served, and both recover whenever Redis returns', async () => {
    const [port = 0] = await freePorts(1);
    dashboard = await openDashboard(`redis://127.0.0.1:${port}`, { wait: false });
    const ask = () => dashboard.send('viewer', 'get', '/api/queues');
    const refused = async () => {
      const started = performance.now();
      const { body, headers } = await ask().expect(503);
      expect(performance.now() - started).toBeLessThan(scaled(1_000));
      expect(body).toMatchObject({ code: 'service_unavailable' });
      expect(headers['retry-after']).toBe('1');
    };
    const answered = () => waitFor(async () => (await ask()).status === 200, { what: 'an answer' });

    await refused();
    await dashboard.send('viewer', 'get', '/').expect(200);
    redis = await startRedis({ dir, port });
    await answered();
    await redis.stop();
    await waitFor(() => dashboard.redis.status !== 'ready');
    await refused();
    redis = await startRedis({ dir, port });
    await answered();
  });

  it('The API answers 503 within seconds while Redis is frozen', async () => {
    await waitFor(() => dashboard.redis.status === 'ready');
    redis?.kill('SIGSTOP');
    try {
      await dashboard.send('viewer', 'get', '/api/queues').expect(503);
    } finally {
      redis?.kill('SIGCONT');
    }
    await waitFor(async () => (await dashboard.send('viewer', 'get', '/api/queues')).status === 200);
  });
});
