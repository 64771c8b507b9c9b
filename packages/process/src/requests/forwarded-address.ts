import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const headerName = 'x-forwarded-for';

/**
 * Express middleware: keeps in X-Forwarded-For only what may be read as the client's address. Each trusted proxy appends
 * the address of its client. When such an entry is not an IP address, it and all entries before it are removed, and the
 * address of the proxy counts: clients cannot choose texts for the limits, the log and the audit. Some proxies append a
 * port, which is removed.
 */
export function readForwardedAddress(trustedProxies: number) {
  return (request: IncomingMessage, _response: unknown, next: () => void): void => {
    const header = request.headers[headerName];
    if (header !== undefined && trustedProxies > 0) {
      const addresses = validAddresses(String(header), trustedProxies);
      if (addresses.length > 0) request.headers[headerName] = addresses.join(', ');
      else delete request.headers[headerName];
    }
    next();
  };
}

/** The addresses that the trusted proxies have appended, up to the first entry, from the right, that is not an address. */
function validAddresses(header: string, trustedProxies: number): string[] {
  const addresses: string[] = [];
  for (const entry of header.split(',').slice(-trustedProxies).toReversed()) {
    const address = withoutPort(entry.trim());
    // The zone of an IPv6 address is text of any length.
    if (isIP(address) === 0 || address.includes('%')) break;
    addresses.unshift(address);
  }
  return addresses;
}

/** `203.0.113.7:1234`, `[2001:db8::1]:1234` and `[2001:db8::1]` without brackets and port. */
function withoutPort(entry: string): string {
  if (entry.startsWith('[')) return entry.slice(1, entry.indexOf(']'));
  const [address = '', port, ...more] = entry.split(':');
  return port !== undefined && more.length === 0 ? address : entry;
}
