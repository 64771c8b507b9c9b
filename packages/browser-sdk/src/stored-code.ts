import { browser, erase, read, setPersistent, write } from './storage.ts';

/** The referral code that a visitor came with, and the click on the share link. */
export interface StoredCode {
  code: string;
  click: string | undefined;
}

const days = 90;
/** The format of codes and click ids. Anything else in a URL is ignored, because boot would refuse it. */
const format = /^\w{1,64}$/;

/** Sets whether codes may be stored on the device; if not, they are kept until the page is left. */
export function setCodesPersistent(persistent: boolean): void {
  setPersistent(persistent, days);
}

/** The URL that was read last. */
let lastUrl: string | undefined;

/**
 * Stores the code in the URL of the page, if there is one. It replaces an earlier code. A URL is read once, so that a code
 * that has been used is not stored again.
 */
export function storeCode(): void {
  try {
    const url = browser.location.href;
    if (url === lastUrl) return;
    lastUrl = url;
    const query = new URL(url).searchParams;
    const code = query.get('rh_code') ?? '';
    const click = query.get('rh_click') ?? '';
    if (format.test(code)) write(JSON.stringify([code, format.test(click) ? click : '', Date.now()]), days);
  } catch {
    // The page has no URL.
  }
}

/** The code of a visitor who came in the last 90 days. */
export function readCode(): StoredCode | undefined {
  try {
    const [code, click, at] = JSON.parse(read() ?? '[]') as [string?, string?, number?];
    if (typeof code !== 'string' || !(Date.now() - Number(at) < days * 86_400_000)) return undefined;
    return { code, click: click || undefined };
  } catch {
    return undefined;
  }
}

/** Deletes the code, unless another one was stored since. */
export function deleteCode(code: string): void {
  if (readCode()?.code === code) erase();
}
