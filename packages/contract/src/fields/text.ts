declare global {
  // Node 20 has it; TypeScript's es2023 library does not declare it.
  interface String {
    isWellFormed(): boolean;
  }
}

/** Why a string cannot be stored: the code of a field error. */
export type TextProblem = 'empty' | 'too_long' | 'lone_surrogate' | 'nul';

/**
 * Why a string cannot be stored: its length in code points is out of range, or PostgreSQL cannot store it unchanged
 * (NUL, lone surrogates). Undefined when it can be stored. The time is bounded for strings of any length.
 */
export function textProblem(text: string, minLength: 0 | 1, maxLength: number): TextProblem | undefined {
  const units = text.length;
  if (units < minLength) return 'empty';
  // A code point is one or two units, so code points are counted only between these lengths.
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
