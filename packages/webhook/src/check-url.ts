import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';
import { refusedPorts } from './refused-ports.ts';
import { refuseUrl } from './url-error.ts';
import type { UrlRefusal } from './url-error.ts';

/** A URL that may be saved and called, or why it may not. */
export type UrlCheck = { ok: true; url: URL } | UrlRefusal;

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
  if (text.length > maxUrlLength) return refuseUrl('url_too_long', { limit: maxUrlLength });
  // The URL parser drops tabs and line breaks and turns backslashes around: two readers, two hosts.
  if (/[^!-\uffff]|[\\\x7f]/.test(text)) return refuseUrl('url_characters');
  const url = parse(text);
  if (!url) return refuseUrl('url_invalid');
  // The dot that may end a name is dropped: one receiver has one spelling, and is counted once.
  url.hostname = url.hostname.replace(/\.$/, '');
  if (url.href.length > maxUrlLength) return refuseUrl('url_too_long', { limit: maxUrlLength });
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuseUrl('url_not_https');
  if (url.username !== '' || url.password !== '') return refuseUrl('url_credentials');
  if (url.hash !== '') return refuseUrl('url_fragment');

  const host = hostOf(url);
  if (options.allowLoopbackHttp && isLoopbackHost(host)) return { ok: true, url };
  if (url.protocol !== 'https:') return refuseUrl('url_not_https');
  const refusal = isIP(host) === 0 ? refuseName(host) : refuseAddress(host);
  if (refusal) return refusal;
  if (url.port !== '' && refusedPorts.has(Number(url.port))) return refuseUrl('url_port', { port: url.port });
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

function refuseAddress(host: string): UrlRefusal | undefined {
  return isPublicAddress(host) ? undefined : refuseUrl('url_private_address');
}

function refuseName(host: string): UrlRefusal | undefined {
  if (insideNames.test(host)) return refuseUrl('url_private_host');
  const labels = host.split('.');
  if (labels.length < 2) return refuseUrl('url_short_host');
  const wellFormed = host.length <= 253 && labels.every((label) => label.length >= 1 && label.length <= 63);
  return wellFormed ? undefined : refuseUrl('url_invalid_host');
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
