import type { IncomingMessage } from 'node:http';
import { readForwardedAddress } from './forwarded-address.ts';

function read(header: string, trustedProxies: number): string | string[] | undefined {
  const request = { headers: { 'x-forwarded-for': header } } as unknown as IncomingMessage;
  readForwardedAddress(trustedProxies)(request, {}, () => undefined);
  return request.headers['x-forwarded-for'];
}

describe('the forwarded address', () => {
  it.each([
    ['203.0.113.7', 1, '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', 1, '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', 2, '198.51.100.1, 203.0.113.7'],
    ['203.0.113.7:49152', 1, '203.0.113.7'],
    ['[2001:db8::7]:49152', 1, '2001:db8::7'],
    ['[2001:db8::7]', 1, '2001:db8::7'],
    ['2001:db8::7', 1, '2001:db8::7'],
    ['anything, 203.0.113.7', 2, '203.0.113.7'],
    ['198.51.100.1, anything, 203.0.113.7', 3, '203.0.113.7'],
    ['anything', 1, undefined],
    ['203.0.113.7, anything', 1, undefined],
    ['', 1, undefined],
    ['[', 1, undefined],
    ['203.0.113.999', 1, undefined],
    ['x'.repeat(5_000), 10, undefined],
  ])('Of %s behind %i proxies, %s is read', (header, trustedProxies, expected) => {
    expect(read(header, trustedProxies)).toBe(expected);
  });

  it('Without a trusted proxy the header is not read and not changed', () => {
    expect(read('anything', 0)).toBe('anything');
  });
});
