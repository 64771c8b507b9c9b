import { readConsoleSettings } from './environment.ts';

const given = {
  DATABASE_URL: 'postgresql://localhost/rewardhook',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};
const inProduction = (url?: string) => () =>
  readConsoleSettings({ ...given, NODE_ENV: 'production', ...(url ? { CONSOLE_PUBLIC_URL: url } : {}) });

describe('The settings of the console', () => {
  it('The console needs no public URL in development', () => {
    expect(readConsoleSettings(given)).toMatchObject({ CONSOLE_PORT: 3002, CONSOLE_TRUST_PROXY: 0 });
  });

  it('The console needs a public https URL in production, unless it is on the same machine', () => {
    expect(inProduction()).toThrow('CONSOLE_PUBLIC_URL is not set');
    expect(inProduction('http://console.example.com')).toThrow('must be https in production');
    expect(inProduction('https://console.example.com')().CONSOLE_PUBLIC_URL).toBe(
      'https://console.example.com',
    );
    expect(inProduction('http://localhost:3002')().CONSOLE_PUBLIC_URL).toBe('http://localhost:3002');
  });
});
