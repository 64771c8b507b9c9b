/** What the SDK uses of the browser, besides fetch. Any access may throw: a page can be denied its storage. */
export interface Browser {
  location: { href: string };
  localStorage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  document: { cookie: string };
}

/** The page that the SDK runs in. */
export const browser = globalThis as unknown as Browser;

const name = 'rewardhook';
const secondsPerDay = 86_400;

/** For pages without any storage: kept until the page is left. */
let pageText: string | undefined;
let isPersistent = true;

/** Sets whether texts may be stored on the device. One that is kept for the page is stored when it becomes true. */
export function setPersistent(persistent: boolean, days: number): void {
  const kept = pageText;
  isPersistent = persistent;
  if (persistent && kept !== undefined) write(kept, days);
}

/** Stores a text: in localStorage, otherwise in a cookie of this site, otherwise until the page is left. */
export function write(text: string, days: number): void {
  // Otherwise an older text in a full localStorage would be read instead of the newer one in the cookie.
  erase();
  pageText = text;
  if (!isPersistent) return;
  try {
    browser.localStorage.setItem(name, text);
  } catch {
    writeCookie(text, days * secondsPerDay);
  }
}

/** The text that was stored last. */
export function read(): string | undefined {
  return readStorage() ?? readCookie() ?? pageText;
}

/** Deletes the text everywhere. */
export function erase(): void {
  pageText = undefined;
  try {
    browser.localStorage.removeItem(name);
  } catch {
    // It is not stored there.
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
    // Cookies are denied too: the text is kept until the page is left.
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
