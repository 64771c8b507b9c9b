/** What the SDK uses of the browser beside fetch. Any of it may throw: pages may be denied their storage. */
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
