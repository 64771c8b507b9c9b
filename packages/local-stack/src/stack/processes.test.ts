import { listProcesses, parseWorkers, planProcesses, requireProcesses } from './processes.ts';

describe('The processes of a stack', () => {
  it('have different names and health ports, and workers that run several times are numbered', async () => {
    const plans = await planProcesses({
      workers: parseWorkers('sync=2, webhook-delivery=1'),
      shared: { REDIS_URL: 'redis://somewhere' },
      apiPorts: [3000],
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

  const settingsOf = async (options: Partial<Parameters<typeof planProcesses>[0]>) => {
    const plans = await planProcesses({
      apiPorts: [3000],
      workers: {},
      shared: { LISTEN_HOST: '127.0.0.1', LOG_LEVEL: 'info', REDIS_URL: 'redis://somewhere' },
      dashboard: { DASHBOARD_PORT: '3001' },
      console: { CONSOLE_PORT: '3002' },
      ...options,
    });
    return Object.fromEntries(plans.map(({ name, environment }) => [name, environment]));
  };

  it('include several APIs, numbered and each with a port of its own', async () => {
    const settings = await settingsOf({ apiPorts: [3000, 20_001, 20_002] });
    const apis = Object.entries(settings).filter(([name]) => name.startsWith('api'));
    expect(apis.map(([name, { API_PORT: port }]) => `${name} on ${port}`)).toEqual([
      'api-1 on 3000',
      'api-2 on 20001',
      'api-3 on 20002',
    ]);
  });

  it('have settings of their own: those of the app, then those of the process', async () => {
    const settings = await settingsOf({
      workers: { sync: 2 },
      processEnv: {
        sync: { LOG_LEVEL: 'warn', REDIS_URL: 'redis://other' },
        'sync-2': { LOG_LEVEL: 'debug' },
      },
    });
    expect(settings['sync-1']).toMatchObject({ LOG_LEVEL: 'warn', REDIS_URL: 'redis://other' });
    expect(settings['sync-2']).toMatchObject({ LOG_LEVEL: 'debug', REDIS_URL: 'redis://other' });
    expect(settings['housekeeping']).toMatchObject({ LOG_LEVEL: 'info', REDIS_URL: 'redis://somewhere' });
  });

  it('keep their ports, the host that they listen on and the URLs through a proxy', async () => {
    const given = {
      API_PORT: '1',
      CONSOLE_PORT: '1',
      HEALTH_PORT: '1',
      LISTEN_HOST: '0.0.0.0',
      REDIS_URL: 'redis://other',
    };
    const settings = await settingsOf({
      processEnv: { api: given, console: given },
      proxiedUrls: (name): Record<string, string> => (name === 'api' ? { REDIS_URL: 'redis://proxy' } : {}),
    });
    const fixed = { LISTEN_HOST: '127.0.0.1', HEALTH_PORT: expect.stringMatching(/^\d{5}$/) as string };
    expect(settings['api']).toMatchObject({ ...fixed, API_PORT: '3000', REDIS_URL: 'redis://proxy' });
    expect(settings['console']).toMatchObject({ ...fixed, CONSOLE_PORT: '3002', REDIS_URL: 'redis://other' });
  });

  it('are named by an error about a name that none of them has', () => {
    const listed = listProcesses({ apis: 2, workers: {} });
    requireProcesses(['api-1', 'sync'], listed);
    requireProcesses(['api-1', 'api'], listed, true);
    expect(() => requireProcesses(['api-1', 'api'], listed)).toThrow(
      'There is no process "api". The processes are api-1, api-2, sync, reward-evaluation, webhook-delivery, housekeeping, dashboard, console',
    );
    expect(() => requireProcesses(['api-3'], listed, true)).toThrow(
      /^There is no process "api-3". The processes are api-1, api-2, sync, .*, console, api$/,
    );
  });

  it.each(['api=2', 'sync', 'sync=0', 'sync=33', 'sync=two'])('refuses --workers %s', (text) => {
    expect(() => parseWorkers(text)).toThrow('--workers: ');
  });
});
