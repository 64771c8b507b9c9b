import { browser, erase, read, write } from './storage.ts';

/** The referral code that a visitor came with, and the click on the share link. */
export interface StoredCode {
  code: string;
  click: string | undefined;
}

const days = 90;
/** The format of codes and click ids. Anything else in a URL is ignored, because boot would refuse it. */
const format = /^\w{1,64}$/;

/** Stores the code in the URL of the page, if there is one. It replaces an earlier code. */
export function storeCode(): void {
  try {
    const query = new URL(browser.location.href).searchParams;
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
