import { oneLine } from '@rewardhook/mail';

/** Where a webhook goes, without what may be secret in its URL: user, password, query and fragment. */
export function redactUrl(url: string): { host: string; address: string } {
  if (!URL.canParse(url)) return { host: 'unknown host', address: 'unknown address' };
  const { protocol, host, pathname } = new URL(url);
  return { host: oneLine(host, 100), address: oneLine(`${protocol}//${host}${pathname}`, 300) };
}

/** A text about a URL as one short line; where it repeats the URL, nothing secret of that is shown. */
export function lineAbout(url: string, text: string): string {
  return oneLine(text.replaceAll(url, redactUrl(url).address), 300);
}
