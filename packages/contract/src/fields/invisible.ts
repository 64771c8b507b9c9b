/** Invisible characters: zero-width spaces and joiners, direction marks, soft hyphens, variation selectors, controls. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** A text without its invisible characters. */
export const withoutInvisible = (text: string): string => text.replace(invisible, '');

/**
 * A text with its outer blanks and invisible characters as escapes, such as `\u0020A-1\u200b`; undefined for a text that has none of
 * them.
 */
export function escapeInvisible(text: string): string | undefined {
  const inner = text.trim();
  if (inner.length === text.length && text.search(invisible) === -1) return undefined;
  const start = inner === '' ? text.length : text.length - text.trimStart().length;
  const end = start + inner.length;
  return (
    escapeAll(text.slice(0, start)) + inner.replace(invisible, escapeCharacter) + escapeAll(text.slice(end))
  );
}

const escapeAll = (text: string): string => Array.from(text, escapeCharacter).join('');

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
