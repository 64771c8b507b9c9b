import { browser } from './browser.ts';

const name = 'rewardhook';
const secondsPerDay = 86_400;

/** For pages that may store nothing: until they are left. */
let ofThisPage: string | undefined;

/** Keeps a text: in localStorage, else in a cookie of this site, else until the page is left. */
export function write(text: string, days: number): void {
  // An older text in a full storage would win over a newer one in the cookie.
  erase();
  ofThisPage = text;
  try {
    browser.localStorage.setItem(name, text);
  } catch {
    writeCookie(text, days * secondsPerDay);
  }
}

/** The text that was kept last. */
export function read(): string | undefined {
  return readStorage() ?? readCookie() ?? ofThisPage;
}

/** Forgets it everywhere. */
export function erase(): void {
  ofThisPage = undefined;
  try {
    browser.localStorage.removeItem(name);
  } catch {
    // It was not kept there.
  }
  writeCookie('', 0);
}

function readStorage(): string | undefined {
  try {
    return browser.localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeCookie(text: string, seconds: number): void {
  try {
    browser.document.cookie = `${name}=${encodeURIComponent(text)};path=/;max-age=${seconds};samesite=lax`;
  } catch {
    // Not even a cookie: the page's own memory has to do.
  }
}

function readCookie(): string | undefined {
  try {
    const found = /(?:^|; )rewardhook=([^;]+)/.exec(browser.document.cookie);
    return found ? decodeURIComponent(found[1] as string) : undefined;
  } catch {
    return undefined;
  }
}
