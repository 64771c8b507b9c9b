import { parseWorkers, planProcesses } from './processes.ts';

describe('The processes of a stack', () => {
  it('have different names and health ports, and workers that run several times are numbered', async () => {
    const plans = await planProcesses({
      workers: parseWorkers('sync=2, webhook-delivery=1'),
      shared: { REDIS_URL: 'redis://somewhere' },
      api: { API_PORT: '3000' },
      dashboard: {},
      console: {},
    });
    expect(plans.map(({ name, app }) => `${name} runs ${app}`)).toEqual([
      'api runs api',
      'sync-1 runs sync',
      'sync-2 runs sync',
      'reward-evaluation runs reward-evaluation',
      'webhook-delivery runs webhook-delivery',
      'housekeeping runs housekeeping',
      'dashboard runs dashboard',
      'console runs console',
    ]);
    expect(new Set(plans.map(({ environment }) => environment['HEALTH_PORT'])).size).toBe(plans.length);
    expect(plans[0]?.environment).toMatchObject({ REDIS_URL: 'redis://somewhere', API_PORT: '3000' });
    expect(plans[1]?.environment).not.toHaveProperty('API_PORT');
  });

  it.each(['api=2', 'sync', 'sync=0', 'sync=33', 'sync=two'])('refuses --workers %s', (text) => {
    expect(() => parseWorkers(text)).toThrow('--workers: ');
  });
});
