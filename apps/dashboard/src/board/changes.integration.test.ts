import { boardRequests } from '../../testing/board-requests.ts';
import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';
import { finishJobs } from '../../testing/finish-jobs.ts';

const url = process.env['TEST_REDIS_URL'] as string;
const data = { merchantId: 'mer_0123456789ABCDEFGHIJKL', endpointId: 'whk_0123456789ABCDEFGHIJKL' };

describe('Changes of the queues', () => {
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
