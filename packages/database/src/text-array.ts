/**
 * The text of a PostgreSQL array of texts, for `unnest($1::text[])`: what takes PostgreSQL the least time to read.
 * JSON escapes quotes and backslashes just as an array does, but not control characters.
 */
export function textArray(texts: string[]): string {
  const plain = !texts.some((text) => hasControls.test(text));
  if (plain) return `{${JSON.stringify(texts).slice(1, -1)}}`;
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

// oxlint-disable-next-line no-control-regex
const hasControls = /[\u0000-\u001F]/;
