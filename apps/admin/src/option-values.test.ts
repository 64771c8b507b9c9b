import {
  readAllowedOrigins,
  readAttributionDays,
  readCorrectionKey,
  readFlag,
  readLandingUrl,
} from './option-values.ts';

const strict = { allowLoopbackHttp: false };
const development = { allowLoopbackHttp: true };

describe('readLandingUrl', () => {
  it.each([
    ['https://shop.example.com', 'https://shop.example.com/'],
    ['https://shop.example.com/a?b=1#/join', 'https://shop.example.com/a?b=1#/join'],
  ])('accepts %s', (text, stored) => {
    expect(readLandingUrl(text, strict)).toBe(stored);
  });

  it('returns null for an empty text', () => {
    expect(readLandingUrl('', strict)).toBeNull();
  });

  it.each([
    'http://shop.example.com',
    'javascript:alert(1)',
    'https://user:word@shop.example.com/',
    'http://127.0.0.1:8080/',
    'shop.example.com',
    'https://shop.example.com/\n#x',
  ])('rejects %j', (text) => {
    expect(() => readLandingUrl(text, strict)).toThrow('The landing URL cannot be used');
  });

  it('accepts loopback addresses in development', () => {
    expect(readLandingUrl('http://127.0.0.1:8080/', development)).toBe('http://127.0.0.1:8080/');
  });
});

describe('readAllowedOrigins', () => {
  it('returns origins in the form of the Origin header, without duplicates', () => {
    const text = 'https://Shop.example.com:443/, https://shop.example.com,https://m.shop.example.com:8443';
    expect(readAllowedOrigins(text, strict)).toEqual([
      'https://shop.example.com',
      'https://m.shop.example.com:8443',
    ]);
    expect(readAllowedOrigins('', strict)).toEqual([]);
  });

  it.each([
    ['https://shop.example.com/path', 'without a path'],
    ['http://shop.example.com', 'must start with https://'],
    ['*', 'there are no wildcards'],
    ['null', 'is not a valid URL'],
  ])('rejects %s', (text, why) => {
    expect(() => readAllowedOrigins(text, strict)).toThrow(why);
  });
});

describe('Other option values', () => {
  it('accept true and false as a flag and nothing else', () => {
    expect([readFlag('--x', 'true'), readFlag('--x', 'false')]).toEqual([true, false]);
    expect(() => readFlag('--x', 'yes')).toThrow('--x must be true or false.');
  });

  it.each(['0', '366', '1.5', '-3', '', 'ten', '1e2'])('reject %j as attribution days', (text) => {
    expect(() => readAttributionDays(text)).toThrow('1 to 365');
  });

  it('accept 1 to 365 attribution days', () => {
    expect([readAttributionDays('1'), readAttributionDays('365')]).toEqual([1, 365]);
  });
});

describe('readCorrectionKey', () => {
  it('makes a key of its own when none is given', () => {
    expect(readCorrectionKey(undefined)).not.toBe(readCorrectionKey(undefined));
  });

  it.each(['', 'x'.repeat(256)])('rejects a key with no or too many characters', (key) => {
    expect(() => readCorrectionKey(key)).toThrow('--key must have 1 to 255 characters');
  });

  it('accepts the longest key of the API', () => {
    expect(readCorrectionKey('x'.repeat(255))).toHaveLength(255);
  });
});
