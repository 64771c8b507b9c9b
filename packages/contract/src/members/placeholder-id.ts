import Joi from 'joi';
import { foldText } from '../fields/fold-text.ts';

/**
 * Texts that programs and shops send in place of a missing member id, folded: what languages write for a missing value, and
 * names that all visitors who are not signed in share. `docs/linking.md` lists them.
 */
export const placeholderIds: readonly string[] = [
  ...['undefined', 'null', 'none', 'nil', '<nil>', '(null)', 'nan', 'false', '0', '-1'],
  ...['[object object]', '[object undefined]', '[object null]', '00000000-0000-0000-0000-000000000000'],
  ...['guest', 'anonymous', 'unknown', '비회원', '게스트', '익명'],
];

const placeholders = new Set(placeholderIds);

/** In UTF-16 units: an id has at most 255 characters. Longer texts are refused for that, and not folded first. */
const longestId = 510;

/** Blanks, punctuation, and what replaces letters that were lost (U+FFFD). The symbols are those of ASCII. */
const onlyPunctuation = /^[\p{P}\s$+<=>^`|~\ufffd]*$/u;

/**
 * Whether a text is no member id but what stands in the place of one: all members whose id is missing would be one member. It is
 * compared as a whole after `foldText`. Unlike `foldMemberId` it makes no
 * two letters equal: `nu11` is an id.
 */
export function isPlaceholderId(memberId: string): boolean {
  if (memberId.length > longestId) return false;
  const folded = foldText(memberId);
  return placeholders.has(folded) || onlyPunctuation.test(folded);
}

/** The rule of a Joi field that refuses placeholders of a member id. */
export const refusePlaceholder: Joi.CustomValidator<string> = (value, { error }) =>
  isPlaceholderId(value) ? error('placeholder_id') : value;
