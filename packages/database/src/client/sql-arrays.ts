/*
 * Array literals of PostgreSQL for `unnest($1::text[])`: the form of a long parameter that PostgreSQL parses fastest.
 */

/** Formats texts and nulls as an array literal. */
export function textArray(texts: (string | null)[]): string {
  const json = JSON.stringify(texts);
  // JSON quotes as an array literal does, but escapes control characters differently.
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  return `{${texts.map((text) => (text === null ? 'null' : quote(text))).join(',')}}`;
}

/**
 * Formats texts that are results of `JSON.stringify`, and so contain no control characters, and nulls as an array literal.
 */
export function jsonTextArray(documents: (string | null)[]): string {
  return `{${JSON.stringify(documents).slice(1, -1)}}`;
}

/** Formats numbers and nulls as an array literal. */
export function numberArray(numbers: (number | null)[]): string {
  return `{${numbers.map((number) => number ?? 'null').join(',')}}`;
}

/** Formats booleans as an array literal. */
export function booleanArray(booleans: boolean[]): string {
  return `{${booleans.join(',')}}`;
}
