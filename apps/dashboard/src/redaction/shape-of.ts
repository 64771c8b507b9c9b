/** Describes the type and size of a value without its content: keys of objects can be member ids too. */
export function shapeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return `an object of ${Object.keys(value).length} fields`;
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}
