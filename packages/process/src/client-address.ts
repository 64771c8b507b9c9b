import { createHmac } from 'node:crypto';
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
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%', 1);
  const [head = '', tail] = withoutZone.replace(/(?<=:)\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : []);
  const first = groupsOf(head);
  const last = groupsOf(tail);
  const left = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: left }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
