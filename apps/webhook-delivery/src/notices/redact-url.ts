import { oneLine } from '@rewardhook/mail';

/** A URL as it may be logged and mailed: without user, password, query and fragment, which may contain secrets. */
export interface RedactedUrl {
  host: string;
  address: string;
}

/** Redacts a URL. */
export function redactUrl(url: string): RedactedUrl {
  if (!URL.canParse(url)) return { host: 'unknown host', address: 'unknown address' };
  const { protocol, host, pathname } = new URL(url);
  return { host: oneLine(host, 100), address: oneLine(`${protocol}//${host}${pathname}`, 300) };
}

/** Text about a URL as one short line. Where it repeats the URL, the URL is redacted. */
export function redactText(url: string, text: string): string {
  return oneLine(text.replaceAll(url, redactUrl(url).address), 300);
}
