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

const secondsPerDay = 86_400;

/** For pages without any storage: kept until the page is left. */
const pageTexts = new Map<string, string>();
let isPersistent = true;

/** Sets whether texts may be stored on the device. Those that are kept for the page are stored when it becomes true. */
export function setPersistent(persistent: boolean, days: number): void {
  isPersistent = persistent;
  if (persistent) for (const [name, text] of [...pageTexts]) write(name, text, days);
}

/** Stores a text: in localStorage, otherwise in a cookie of this site, otherwise until the page is left. */
export function write(name: string, text: string, days: number): void {
  // Otherwise an older text in a full localStorage would be read instead of the newer one in the cookie.
  erase(name);
  pageTexts.set(name, text);
  if (!isPersistent) return;
  try {
    browser.localStorage.setItem(name, text);
  } catch {
    writeCookie(name, text, days * secondsPerDay);
  }
}

/** The text that was stored last. */
export function read(name: string): string | undefined {
  return readStorage(name) ?? readCookie(name) ?? pageTexts.get(name);
}

/** Deletes the text everywhere. */
export function erase(name: string): void {
  pageTexts.delete(name);
  try {
    browser.localStorage.removeItem(name);
  } catch {
    // It is not stored there.
  }
  writeCookie(name, '', 0);
}

function readStorage(name: string): string | undefined {
  try {
    return browser.localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeCookie(name: string, text: string, seconds: number): void {
  try {
    browser.document.cookie = `${name}=${encodeURIComponent(text)};path=/;max-age=${seconds};samesite=lax`;
  } catch {
    // Cookies are denied too: the text is kept until the page is left.
  }
}

function readCookie(name: string): string | undefined {
  try {
    const found = browser.document.cookie.split('; ').find((cookie) => cookie.startsWith(`${name}=`));
    return found && decodeURIComponent(found.slice(name.length + 1));
  } catch {
    return undefined;
  }
}
