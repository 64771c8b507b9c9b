import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';
import { refuseUrl } from './url-error.ts';
import type { UrlRefusal } from './url-error.ts';

/** A URL that may be saved and called, or the reason why not. */
export type UrlCheck = { ok: true; url: URL } | UrlRefusal;

/** Maximum length of a webhook URL in characters, as given and as called. */
const maxUrlLength = 2048;

/** Names of internal hosts, by standard or by custom (RFC 6761, 6762, 8375; `.internal` by ICANN). */
const insideNames = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa|onion)$/;

/**
 * Checks a webhook URL by its text, when it is saved and again before each attempt: https, no credentials, a public host,
 * a port for the web. The addresses that a name resolves to are checked when connecting.
 *
 * `allowLoopbackHttp` is a development setting: it also allows http and https to 127.0.0.0/8, ::1 and localhost, on any
 * port, and no other private address.
 */
export function checkUrl(text: string, options: { allowLoopbackHttp: boolean }): UrlCheck {
  if (text.length > maxUrlLength) return refuseUrl('url_too_long', { limit: maxUrlLength });
  // The URL parser drops tabs and line breaks and reads backslashes as slashes: another parser would see another host.
  if (/[^!-\uffff]|[\\\x7f]/.test(text)) return refuseUrl('url_characters');
  const url = parse(text);
  if (!url) return refuseUrl('url_invalid');
  // The dot that may end a name is removed, so that one receiver has one spelling and is counted once.
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

/** The host of a parsed URL, without IPv6 brackets and without the dot that may end a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** True for loopback addresses and for the names that always resolve to them (RFC 6761: localhost and below). */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' || host.endsWith('.localhost') : isLoopbackAddress(host);
}

/** A URL as it is stored, or the reason why it may not be used. */
export type LinkingCheck = { ok: true; value: string } | UrlRefusal;

/** Checks the landing URL of share links, which may have a fragment. `allowLoopbackHttp` as in {@link checkUrl}. */
export function checkLandingUrl(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  const [withoutFragment = ''] = text.split('#', 1);
  const checked = checkUrl(withoutFragment, options);
  return checked.ok ? { ok: true, value: new URL(text).href } : checked;
}

/** Checks an origin from which browsers may call. The value is as browsers send it in `Origin`. */
export function checkOrigin(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  if (text.includes('*')) return refuseUrl('origin_wildcard');
  const checked = checkUrl(text, options);
  if (!checked.ok) return checked;
  const { origin, pathname, search } = checked.url;
  if (pathname !== '/' || search !== '') return refuseUrl('origin_path', { origin });
  return { ok: true, value: origin };
}

/** Apps whose pages have a scheme of their own, and the origins of Android apps. */
const appOrigin =
  /^(?:(?:capacitor|ionic|chrome-extension):\/\/[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d{1,5})?|https?:\/\/localhost)\/?$/;

/**
 * Checks an origin whose pages may call boot: a web origin, or that of an app, which `URL` does not know. `null` and `file:`
 * name no one, and are refused. In lower case, as browsers send it.
 */
export function checkAllowedOrigin(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  const lower = text.toLowerCase();
  if (!appOrigin.test(lower)) return checkOrigin(text, options);
  return { ok: true, value: lower.endsWith('/') ? lower.slice(0, -1) : lower };
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

/** "Bad ports" of the WHATWG Fetch standard: their services could mistake a request for their own protocol. */
const fetchBadPorts = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Databases, brokers, caches, cluster and remote control: never the web server of a shop. */
const infrastructurePorts = [
  445, 873, 1433, 1434, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5671, 5672, 5900,
  5984, 5985, 5986, 6379, 6380, 6432, 7000, 7001, 7199, 8086, 9042, 9092, 9160, 9200, 9300, 10250, 10255,
  11211, 15672, 25672, 26379, 27017, 27018, 27019, 33060, 50070, 61616,
];

/** Ports that a webhook URL may not have. */
export const refusedPorts: ReadonlySet<number> = new Set([0, ...fetchBadPorts, ...infrastructurePorts]);
