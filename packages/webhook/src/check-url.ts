import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';
import { refusedPorts } from './refused-ports.ts';

/** A URL that may be saved and called, or why it may not: a short sentence for the merchant. */
export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

/** The longest webhook URL, in characters, as given and as it is sent. */
export const maxUrlLength = 2048;

/** Names that mean "inside" by standard or by custom (RFC 6761, 6762, 8375; `.internal` by ICANN). */
const insideNames = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa|onion)$/;

/**
 * Judges a webhook URL by its text alone, when it is saved and again before each attempt: https, no
 * credentials, a public host, a port for the web. What a name resolves to is judged when connecting.
 *
 * `allowLoopbackHttp` is a development setting: http and https to 127.0.0.0/8, ::1 and localhost, on any
 * port, are then allowed too; nothing else private is.
 */
export function checkUrl(text: string, options: { allowLoopbackHttp: boolean }): UrlCheck {
  if (text.length > maxUrlLength) return refuse(`must not be longer than ${maxUrlLength} characters`);
  // The URL parser drops tabs and line breaks and turns backslashes around: two readers, two hosts.
  if (/[^!-\uffff]|[\\\x7f]/.test(text)) return refuse('must not contain spaces, control characters or \\');
  const url = parse(text);
  if (!url) return refuse('is not a valid URL');
  // The dot that may end a name is dropped: one receiver has one spelling, and is counted once.
  url.hostname = url.hostname.replace(/\.$/, '');
  if (url.href.length > maxUrlLength) return refuse(`must not be longer than ${maxUrlLength} characters`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must start with https://');
  if (url.username !== '' || url.password !== '') return refuse('must not contain a user name or password');
  if (url.hash !== '') return refuse('must not contain a fragment (#)');

  const host = hostOf(url);
  if (options.allowLoopbackHttp && isLoopbackHost(host)) return { ok: true, url };
  if (url.protocol !== 'https:') return refuse('must start with https://');
  const reason = isIP(host) === 0 ? reasonAgainstName(host) : reasonAgainstAddress(host);
  if (reason) return refuse(reason);
  if (url.port !== '' && refusedPorts.has(Number(url.port))) return refuse(`port ${url.port} is not allowed`);
  return { ok: true, url };
}

/** The host of a parsed URL without IPv6 brackets and without the dot that may end a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** True for loopback addresses and for the names that always mean them (RFC 6761: localhost and below). */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' || host.endsWith('.localhost') : isLoopbackAddress(host);
}

function reasonAgainstAddress(host: string): string | undefined {
  return isPublicAddress(host) ? undefined : 'must point to a public address';
}

function reasonAgainstName(host: string): string | undefined {
  if (insideNames.test(host)) return 'must point to a public host';
  const labels = host.split('.');
  if (labels.length < 2) return 'must name a full host, for example hooks.example.com';
  const wellFormed = host.length <= 253 && labels.every((label) => label.length >= 1 && label.length <= 63);
  return wellFormed ? undefined : 'has an invalid host name';
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function refuse(reason: string): UrlCheck {
  return { ok: false, reason };
}
