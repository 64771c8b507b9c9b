import type { Terms } from './program.ts';

/**
 * The paths (`rules[default].referee.amount.value`) of the fields in which two versions differ. Rules are compared by their ids, lists of
 * values as sets; `rules` alone is their order.
 */
export function termsDifferences(one: Terms, other: Terms): string[] {
  const { rules: rulesOfOne, ...restOfOne } = one;
  const { rules: rulesOfOther, ...restOfOther } = other;
  const [idsOfOne, idsOfOther] = [rulesOfOne.map(({ id }) => id), rulesOfOther.map(({ id }) => id)];
  const ids = [...new Set([...idsOfOne, ...idsOfOther])];
  const ofRules = ids.flatMap((id) =>
    differences(
      rulesOfOne.find((rule) => rule.id === id),
      rulesOfOther.find((rule) => rule.id === id),
      `rules[${id}]`,
    ),
  );
  const isSameOrder =
    idsOfOne.filter((id) => idsOfOther.includes(id)).join() ===
    idsOfOther.filter((id) => idsOfOne.includes(id)).join();
  return [...ofRules, ...(isSameOrder ? [] : ['rules']), ...differences(restOfOne, restOfOther, '')];
}

function differences(one: unknown, other: unknown, path: string): string[] {
  if (Array.isArray(one) && Array.isArray(other)) return isSameSet(one, other) ? [] : [path];
  if (!isObject(one) || !isObject(other)) return one === other ? [] : [path];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
  );
}

function isSameSet(one: unknown[], other: unknown[]): boolean {
  const [values, others] = [new Set(one), new Set(other)];
  return values.size === others.size && [...values].every((value) => others.has(value));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
