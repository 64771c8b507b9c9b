import { readDashboardSettings } from './environment.ts';

const given = { REDIS_URL: 'redis://127.0.0.1:6379', DASHBOARD_OPERATOR_PASSWORD: 'twelve chars' };

describe('The settings of the dashboard', () => {
  it('The password of the operator is the only required setting of the dashboard', () => {
    expect(readDashboardSettings(given)).toMatchObject({
      LISTEN_HOST: '127.0.0.1',
      DASHBOARD_PORT: 3001,
    });
    expect(readDashboardSettings(given).DASHBOARD_VIEWER_PASSWORD).toBeUndefined();
  });

  it.each([
    [{ DASHBOARD_OPERATOR_PASSWORD: undefined }, 'DASHBOARD_OPERATOR_PASSWORD is not set'],
    [{ DASHBOARD_OPERATOR_PASSWORD: 'elevenchars' }, 'at least 12 characters'],
    [{ DASHBOARD_VIEWER_PASSWORD: 'short' }, 'at least 12 characters'],
  ])('The settings %p are refused', (wrong, problem) => {
    expect(() => readDashboardSettings({ ...given, ...wrong })).toThrow(problem);
  });

  it('The error of a bad setting does not repeat the password', () => {
    expect(() => readDashboardSettings({ ...given, DASHBOARD_OPERATOR_PASSWORD: 'secret-1' })).not.toThrow(
      'secret-1',
    );
  });
});
