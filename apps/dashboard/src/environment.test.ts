import { readDashboardSettings } from './environment.ts';

const given = { REDIS_URL: 'redis://127.0.0.1:6379', DASHBOARD_OPERATOR_PASSWORD: 'twelve chars' };

describe('the settings of the dashboard', () => {
  it('need no more than a password for the operator', () => {
    expect(readDashboardSettings(given)).toMatchObject({
      DASHBOARD_HOST: '127.0.0.1',
      DASHBOARD_PORT: 3001,
      DASHBOARD_OPERATOR_USER: 'operator',
      DASHBOARD_VIEWER_USER: 'viewer',
    });
    expect(readDashboardSettings(given).DASHBOARD_VIEWER_PASSWORD).toBeUndefined();
  });

  it.each([
    [{ DASHBOARD_OPERATOR_PASSWORD: undefined }, 'DASHBOARD_OPERATOR_PASSWORD is not set'],
    [{ DASHBOARD_OPERATOR_PASSWORD: 'elevenchars' }, 'at least 12 characters'],
    [{ DASHBOARD_VIEWER_PASSWORD: 'short' }, 'at least 12 characters'],
    [{ DASHBOARD_OPERATOR_USER: 'a:b' }, 'no colon'],
  ])('refuse %p', (wrong, problem) => {
    expect(() => readDashboardSettings({ ...given, ...wrong })).toThrow(problem);
  });

  it('never repeat a password in what is wrong with it', () => {
    expect(() => readDashboardSettings({ ...given, DASHBOARD_OPERATOR_PASSWORD: 'secret-1' })).not.toThrow(
      'secret-1',
    );
  });
});
