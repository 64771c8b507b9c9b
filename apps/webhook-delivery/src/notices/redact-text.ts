import { redactUrl } from '@rewardhook/contract';
import { oneLine } from '@rewardhook/mail';

/** Text about a URL as one short line. Where it repeats the URL, the URL is redacted. */
export function redactText(url: string, text: string): string {
  return oneLine(text.replaceAll(url, redactUrl(url).address), 300);
}
