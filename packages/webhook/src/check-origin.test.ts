import { checkAllowedOrigin, checkOrigin } from './check-url.ts';

const allowed = (text: string, allowLoopbackHttp = false) => {
  const checked = checkAllowedOrigin(text, { allowLoopbackHttp });
  return checked.ok ? checked.value : checked.error.code;
};

describe('An origin whose pages may call boot', () => {
  it.each([
    ['https://Shop.Example.com', 'https://shop.example.com'],
    ['https://shop.example.com:8443/', 'https://shop.example.com:8443'],
    ['capacitor://localhost', 'capacitor://localhost'],
    ['Capacitor://LocalHost/', 'capacitor://localhost'],
    ['ionic://app.shop.example:8100', 'ionic://app.shop.example:8100'],
    [
      'chrome-extension://ABCDEFGHIJKLMNOPabcdefghijklmnop',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    ],
    ['https://localhost', 'https://localhost'],
    ['http://localhost', 'http://localhost'],
  ])('%s is stored as %s', (text, stored) => {
    expect(allowed(text)).toBe(stored);
  });

  it.each([
    'null',
    'file://',
    'file:///index.html',
    'capacitor://',
    'capacitor:localhost',
    'capacitor://localhost/path',
    'capacitor://user@localhost',
    'capacitor://*',
    'javascript://localhost',
    'app://localhost',
    'http://shop.example.com',
    'http://localhost:3000',
    'https://*.example.com',
    '',
  ])('%p is refused', (text) => {
    expect(allowed(text)).toMatch(/^(?:url|origin)_/);
  });

  it('Share links never lead to the origin of an app', () => {
    for (const origin of ['capacitor://localhost', 'https://localhost'])
      expect(checkOrigin(origin, { allowLoopbackHttp: false }).ok).toBe(false);
  });
});
