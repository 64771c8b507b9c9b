declare global {
  // Node 20 has it; TypeScript's es2023 library does not know it yet.
  interface String {
    isWellFormed(): boolean;
  }
}

/** Why a string cannot be stored: the code of a field error. */
export type TextProblem = 'empty' | 'too_long' | 'lone_surrogate' | 'nul';

/**
 * What keeps PostgreSQL from storing a string unchanged (NUL, lone surrogates) or breaks its length limits, which
 * count code points. Undefined when nothing does. Takes bounded time however long the string is.
 */
export function textProblem(text: string, minLength: 0 | 1, maxLength: number): TextProblem | undefined {
  const units = text.length;
  if (units < minLength) return 'empty';
  // A code point is one or two units, so only the lengths between need counting.
  if (units > maxLength && (units > 2 * maxLength || countCodePoints(text) > maxLength)) return 'too_long';
  if (!text.isWellFormed()) return 'lone_surrogate';
  if (text.indexOf('\0') !== -1) return 'nul';
  return undefined;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
