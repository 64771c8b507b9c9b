import { browser } from './browser.ts';
import { erase, read, write } from './memory.ts';

/** How a visitor came: by whose code, and by which click on a share link. */
export interface RememberedCode {
  code: string;
  click: string | undefined;
}

const days = 90;
/** Codes and click ids look like this. Anything else in an address would only make boot fail. */
const form = /^\w{1,64}$/;

/** Remembers the code in the page's address, if there is one. The last link that was followed counts. */
export function rememberCode(): void {
  try {
    const query = new URL(browser.location.href).searchParams;
    const code = query.get('rh_code') ?? '';
    const click = query.get('rh_click') ?? '';
    if (form.test(code)) write(JSON.stringify([code, form.test(click) ? click : '', Date.now()]), days);
  } catch {
    // A page without an address of its own.
  }
}

/** The code that the visitor came with in the last 90 days. */
export function rememberedCode(): RememberedCode | undefined {
  try {
    const [code, click, at] = JSON.parse(read() ?? '[]') as [string?, string?, number?];
    if (typeof code !== 'string' || !(Date.now() - Number(at) < days * 86_400_000)) return undefined;
    return { code, click: click || undefined };
  } catch {
    return undefined;
  }
}

/** Forgets the code, unless another one has been remembered since. */
export function forgetCode(code: string): void {
  if (rememberedCode()?.code === code) erase();
}
