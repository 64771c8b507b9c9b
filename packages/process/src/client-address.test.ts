import { networkOf, openAddressHash } from './client-address.ts';

describe('client addresses', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['1::3:4:5:6:7:8', '1:0:3:4'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['no address', 'no address'],
  ])('The address %s belongs to the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('The hash of an address is the same for its network and differs between keys', () => {
    const hash = openAddressHash(Buffer.alloc(32, 1).toString('base64'));
    expect(hash('203.0.113.7')).toMatch(/^[0-9a-f]{32}$/);
    expect(hash('203.0.113.7')).toBe(hash('::ffff:203.0.113.7'));
    expect(hash('203.0.113.7')).not.toBe(hash('203.0.113.8'));
    expect(hash('203.0.113.7')).not.toBe(
      openAddressHash(Buffer.alloc(32, 2).toString('base64'))('203.0.113.7'),
    );
  });
});
