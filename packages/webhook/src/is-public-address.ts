import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The part of IPv6 that is allocated for the public internet (RFC 4291, IANA "Global Unicast"). */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/** Azure's host service: a public address that is reachable only from inside a virtual machine. */
const azureHostService = '168.63.129.16';

/**
 * True for an address that a merchant's server may have. Denies by default: everything but plain unicast (private,
 * loopback, link-local, CGNAT, documentation, benchmarking, multicast, reserved, …), every IPv6 form that embeds an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo), and text that is not an address in its normal spelling or has a zone.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  // ::/8 contains the forms that embed an IPv4 address, of which ipaddr.js does not recognise ::a.b.c.d. Nothing outside
  // 2000::/3 is routed, so an address that is not listed there is not public either.
  return address.kind() === 'ipv6' ? address.match(globalUnicast, 3) : ip !== azureHostService;
}

/** True for 127.0.0.0/8 and ::1 in their normal spelling (and not for the IPv4-mapped form). */
export function isLoopbackAddress(ip: string): boolean {
  return isIP(ip) !== 0 && !ip.includes('%') && ipaddr.parse(ip).range() === 'loopback';
}
