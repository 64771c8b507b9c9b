/** A URL as it may be logged, mailed and recorded: without user, password, query and fragment, which may contain secrets. */
export interface RedactedUrl {
  host: string;
  address: string;
}

/** Redacts a URL. `new URL` has escaped control characters and line breaks. */
export function redactUrl(url: string): RedactedUrl {
  if (!URL.canParse(url)) return { host: 'unknown host', address: 'unknown address' };
  const { protocol, host, pathname } = new URL(url);
  return { host: shorten(host, 100), address: shorten(`${protocol}//${host}${pathname}`, 300) };
}

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Text about a URL. Where it repeats the URL, the URL is redacted. */
export function redactText(url: string, text: string): string {
  return text.replaceAll(url, redactUrl(url).address);
}
