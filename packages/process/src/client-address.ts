import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { deriveKeys } from './key-ring.ts';

/** Hashes the network of a client address, so that clients can be counted without storing their addresses. */
export type HashAddress = (address: string) => string;

/** HMAC-SHA256 with a key derived from SECRETS_KEY; the first 128 bits in hexadecimal. */
export function openAddressHash(secretsKey: string): HashAddress {
  const [key] = deriveKeys(secretsKey, 'client addresses of velocity counters');
  return (address) => createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, 32);
}

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because a client
 * usually has all addresses of such a network.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // An IPv4 address that is mapped to IPv6 is an IPv4 address.
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** What may be logged of the address of a merchant's customer: the first 24 bits of an IPv4 address, 48 of an IPv6 address. */
export function prefixOf(address: string): string {
  if (address === '') return address;
  const network = networkOf(address);
  if (isIP(network) === 4) return `${network.split('.').slice(0, 3).join('.')}.0/24`;
  return `${network.split(':').slice(0, 3).join(':')}::/48`;
}
