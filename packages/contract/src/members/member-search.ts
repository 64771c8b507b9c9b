import { withoutInvisible } from '../fields/invisible.ts';
import { readReferralCodeAlone } from '../identifiers/referral-code.ts';

/** What a search for members looks for: the beginnings of ids, and complete codes. */
export interface MemberSearch {
  ids: string[];
  codes: string[];
}

/**
 * Reads what a person typed or pasted into the search for members: the text as it is, and without outer blanks and invisible characters,
 * since an id can have them and a copied one often does; and a code, if it is nothing but a code or a share link.
 */
export function readMemberSearch(text: string): MemberSearch {
  const plain = withoutInvisible(text).trim();
  const ids = plain === '' ? [text] : [...new Set([text, plain])];
  const code = readReferralCodeAlone(text);
  const codes = new Set(ids.map((id) => id.toUpperCase()));
  return { ids, codes: [...(code === undefined ? codes : codes.add(code))] };
}
