import { isIP } from 'node:net';
import { AttemptFailure } from './attempt-failure.ts';
import { isLoopbackHost } from './check-url.ts';
import type { ResolveName } from './name-resolver.ts';

/** Says whether an address may be connected to: the whole policy of the guard. */
export type AllowAddress = (ip: string) => boolean;

/** Addresses of one name that are tried; more is a name server's fault. */
const maxAddresses = 8;

/**
 * The addresses of a host that may be connected to: 1 to 8. A literal is judged as it is, since no lookup
 * hook ever sees it; of a name's addresses the allowed ones are kept. Rejects with an
 * {@link AttemptFailure} `blocked` when none is left, and with the error of `resolve`.
 */
export async function vetAddresses(
  host: string,
  allow: AllowAddress,
  resolve: ResolveName,
): Promise<string[]> {
  if (isIP(host) !== 0) {
    if (!allow(host)) throw new AttemptFailure('blocked', 'the address is not public');
    return [host];
  }
  // Loopback names are answered here (RFC 6761): a name server could say anything.
  const found = isLoopbackHost(host) ? ['127.0.0.1', '::1'] : await resolve(host);
  const allowed = found.filter(allow);
  if (allowed.length === 0) throw new AttemptFailure('blocked', 'the host has no public address');
  return allowed.slice(0, maxAddresses);
}
