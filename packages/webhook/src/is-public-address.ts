import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The part of IPv6 that is handed out for the public internet (RFC 4291, IANA "Global Unicast"). */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/** Azure's in-host service: a public number that is only ever reachable from inside a virtual machine. */
const azureHostService = '168.63.129.16';

/**
 * True for an address a merchant's server may have. Deny by default: everything that is not plain unicast
 * is refused (private, loopback, link-local, CGNAT, documentation, benchmarking, multicast, reserved, …),
 * and so is every IPv6 form that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo),
 * whatever it carries. Text that is not an address in its normal spelling, or has a zone, is refused too.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  // ::/8 holds the forms that embed an IPv4 address, and ipaddr.js does not know ::a.b.c.d; nothing outside
  // 2000::/3 is routed, so being unlisted is no recommendation there.
  return address.kind() === 'ipv6' ? address.match(globalUnicast, 3) : ip !== azureHostService;
}

/** True for 127.0.0.0/8 and ::1 in their normal spelling (and not for the IPv4-mapped form). */
export function isLoopbackAddress(ip: string): boolean {
  return isIP(ip) !== 0 && !ip.includes('%') && ipaddr.parse(ip).range() === 'loopback';
}
