import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';

const publicAddresses = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '192.169.0.1'];
const publicV6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2400:cb00::1'];

const edges = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 169.254.0.0
  169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.7 192.31.196.1 192.52.193.1
  192.88.99.1 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.9 203.0.113.9 224.0.0.0
  239.1.1.1 240.0.0.0 255.255.255.255 168.63.129.16 :: ::1 100::1 fc00::
  fdff::1 fe80::1 febf::1 fec0::1 ff02::1 2001:db8::1 2001::1 2001:2::1
  2001:10::1 2001:20::1 2002::1 3fff::1 5f00::1 1::1 4000::1 2620:4f:8000::1
  64:ff9b::808:808 64:ff9b:1::1 ::8.8.8.8 ::ffff:8.8.8.8
`
  .trim()
  .split(/\s+/);

const octet = fc.integer({ min: 0, max: 255 });
const tail = fc.tuple(octet, octet, octet);
const privateV4 = fc.oneof(
  tail.map(([b, c, d]) => [10, b, c, d]),
  tail.map(([b, c, d]) => [127, b, c, d]),
  tail.map(([b, c, d]) => [172, 16 + (b % 16), c, d]),
  tail.map(([, c, d]) => [192, 168, c, d]),
  tail.map(([, c, d]) => [169, 254, c, d]),
  tail.map(([b, c, d]) => [100, 64 + (b % 64), c, d]),
  tail.map(([b, c, d]) => [240 + (b % 16), b, c, d]),
);
const anyV4 = fc.tuple(octet, octet, octet, octet);

describe('isPublicAddress', () => {
  it.each([...publicAddresses, ...publicV6])('accepts %s', (ip) => expect(isPublicAddress(ip)).toBe(true));

  it.each(edges)('refuses %s', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it('refuses every private IPv4 address', () => {
    fc.assert(
      fc.property(privateV4, (octets) => expect(isPublicAddress(octets.join('.'))).toBe(false)),
      { numRuns: propertyCases(100) },
    );
  });

  it('refuses every IPv6 form that embeds an IPv4 address, public or private', () => {
    fc.assert(
      fc.property(fc.oneof(privateV4, anyV4), fc.nat(0xffff), ([a = 0, b = 0, c = 0, d = 0], any) => {
        const high = ((a << 8) | b).toString(16);
        const low = ((c << 8) | d).toString(16);
        const free = any.toString(16);
        const forms = [
          `::ffff:${a}.${b}.${c}.${d}`,
          `::ffff:${high}:${low}`,
          `0:0:0:0:0:ffff:${high}:${low}`,
          `::ffff:0:${a}.${b}.${c}.${d}`,
          `::${a}.${b}.${c}.${d}`,
          `::${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b::${a}.${b}.${c}.${d}`,
          `64:ff9b:1:${free}::${high}:${low}`,
          `2002:${high}:${low}::${free}`,
          `2002:${high}:${low}:${free}::1`,
          `2001:0:${high}:${low}::${free}`,
        ];
        for (const form of forms) expect([form, isPublicAddress(form)]).toEqual([form, false]);
      }),
      { numRuns: propertyCases(100) },
    );
  });

  it('refuses text that is not an address in its normal spelling, without throwing', () => {
    for (const text of [
      '',
      '127.1',
      '08.8.8.8',
      '0x8.8.8.8',
      '134744072',
      '8.8.8.8 ',
      '[::1]',
      '2606::1%eth0',
      'a.b',
    ]) {
      expect([text, isPublicAddress(text)]).toEqual([text, false]);
    }
    fc.assert(
      fc.property(fc.string(), (text) => !isPublicAddress(text)),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('isLoopbackAddress', () => {
  it('accepts 127.0.0.0/8 and ::1 and no other form of them', () => {
    for (const ip of ['127.0.0.1', '127.9.9.9', '::1']) expect(isLoopbackAddress(ip)).toBe(true);
    for (const ip of ['::ffff:127.0.0.1', '::127.0.0.1', '0.0.0.0', '10.0.0.1', 'localhost', '']) {
      expect(isLoopbackAddress(ip)).toBe(false);
    }
  });
});
