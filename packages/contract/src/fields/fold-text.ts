import { withoutInvisible } from './invisible.ts';

/**
 * A text without what people do not see or do not mean: compatibility forms (NFKC) and letter case are folded, invisible characters and
 * outer blanks removed. Folding a folded text changes nothing.
 */
export function foldText(text: string): string {
  // Invisible characters before NFKC, which then composes what they separate, and after it, since it can result in such characters.
  const lower = withoutInvisible(withoutInvisible(text).normalize('NFKC')).toLowerCase();
  return lower.normalize('NFKC').trim();
}
