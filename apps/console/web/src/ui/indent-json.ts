/** JSON that is nested deeper is not indented, because indentation makes it much longer. */
const maxDepth = 64;

/** Formats JSON with line breaks. Returns other text unchanged. */
export function indentJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return depthOf(value) > maxDepth ? text : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

function depthOf(value: unknown, deepest = maxDepth + 1): number {
  if (typeof value !== 'object' || value === null || deepest === 0) return 0;
  return 1 + Object.values(value).reduce((most, child) => Math.max(most, depthOf(child, deepest - 1)), 0);
}
