/** The deepest JSON that is indented: each level makes every line below it longer. */
const maxLevels = 64;

/** JSON with line breaks, to be read; other text as it is. */
export function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return levelsOf(value) > maxLevels ? text : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

function levelsOf(value: unknown, deepest = maxLevels + 1): number {
  if (typeof value !== 'object' || value === null || deepest === 0) return 0;
  return 1 + Object.values(value).reduce((most, child) => Math.max(most, levelsOf(child, deepest - 1)), 0);
}
