import { loadOf } from './navigation.ts';
import { browser, erase, read, setPersistent, write } from './storage.ts';

/** The referral code that a visitor came with, and the click on the share link. */
export interface StoredCode {
  code: string;
  click: string | undefined;
}

/** Why no code is stored. */
export type NoCodeReason = 'not_seen' | 'malformed' | 'used' | 'outdated';

/** As it is stored: the code, the click or an empty text, and when the link was followed or used, in ms. */
type Entry = [code: string, click: string, at: number];

const codeName = 'rewardhook';
/** Codes that boot has used: a reload of the landing page must not link the next person on this device. */
const usedName = 'rewardhook_used';
const maxUsed = 20;
const days = 90;
const maxAgeMs = days * 86_400_000;
/** The format of codes and click ids. Anything else in a URL is ignored, because boot would refuse it. */
const format = /^\w{1,64}$/;

/** Sets whether codes may be stored on the device; if not, they are kept until the page is left. */
export function setCodesPersistent(persistent: boolean): void {
  setPersistent(persistent, days);
}

/** The URL that was read last. */
let lastUrl: string | undefined;
/** The code and click of the last URL that had a code. */
let lastPair: string | undefined;
let lastReason: NoCodeReason = 'not_seen';

/**
 * Reads the URL of the page, once. A code in it replaces a stored one if the visitor has followed a link: the page was loaded by a
 * navigation, or has changed to a URL with another code or click. After a reload, and after going back or forward
 * (`isTraversal`), a code is stored only if none is stored and it was not used. A click that was used is never stored again.
 */
export function storeCode(isTraversal = false): void {
  try {
    const url = browser.location.href;
    if (url === lastUrl) return;
    const load = lastUrl === undefined ? loadOf() : undefined;
    lastUrl = url;
    const pair = pairOf(url) ?? pairOf(load?.url ?? '');
    if (!pair) return;
    const [code, click] = pair;
    const isFollowed = load ? load.isNavigation : !isTraversal && pair.join() !== lastPair;
    lastPair = pair.join();
    const at = load?.at ?? Date.now();
    const used = entriesOf(usedName);
    const isUsed = used.some((one) => one[0] === code && one[1] === click);
    const [stored] = entriesOf(codeName);
    if (isUsed) lastReason = 'used';
    if (isFollowed ? isUsed && click !== '' : isUsed || stored) return;
    // An older tab must not replace the code of a link that was followed later.
    if (stored && stored[2] > at) return;
    if (isUsed)
      writeEntries(
        usedName,
        used.filter(([of]) => of !== code),
      );
    writeEntries(codeName, [[code, click, at]]);
  } catch {
    // The page has no URL.
  }
}

/** The code of a visitor who came in the last 90 days, or why there is none. */
export function readCode(): StoredCode | NoCodeReason {
  const [stored] = entriesOf(codeName);
  if (stored) return { code: stored[0], click: stored[1] || undefined };
  return read(codeName) === undefined ? lastReason : 'outdated';
}

/** Deletes a code that boot has used, unless another one was stored since, and remembers it as used. */
export function useCode({ code, click = '' }: StoredCode): void {
  if (entriesOf(codeName)[0]?.[0] === code) erase(codeName);
  lastReason = 'used';
  const others = entriesOf(usedName).filter((one) => one[0] !== code || one[1] !== click);
  writeEntries(usedName, [...others, [code, click, Date.now()] as Entry].slice(-maxUsed));
}

/** Deletes everything that is stored. */
export function forgetCodes(): void {
  erase(codeName);
  erase(usedName);
}

/** The code and the click in the query of a URL. */
function pairOf(url: string): [code: string, click: string] | undefined {
  if (!url.includes('rh_code=')) return undefined;
  const query = new URL(url).searchParams;
  const code = query.get('rh_code') ?? '';
  const click = query.get('rh_click') ?? '';
  if (format.test(code)) return [code, format.test(click) ? click : ''];
  lastReason = 'malformed';
  return undefined;
}

/** Stored entries of the last 90 days. The code itself is stored as one entry, not as a list. */
function entriesOf(name: string): Entry[] {
  try {
    const value = JSON.parse(read(name) ?? '[]') as Entry | Entry[];
    const entries = (name === codeName ? [value] : value) as Entry[];
    return entries.filter(([code, , at]) => typeof code === 'string' && Date.now() - at < maxAgeMs);
  } catch {
    return [];
  }
}

function writeEntries(name: string, entries: Entry[]): void {
  if (entries.length === 0) erase(name);
  else write(name, JSON.stringify(name === codeName ? entries[0] : entries), days);
}
