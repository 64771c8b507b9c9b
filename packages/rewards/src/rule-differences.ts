import type { ProgramRule } from './program.ts';

/** The paths (`referee.amount.value`) of the fields in which two rules differ. */
export function ruleDifferences(one: ProgramRule, other: ProgramRule): string[] {
  return differences(one, other, '');
}

function differences(one: unknown, other: unknown, path: string): string[] {
  if (!isObject(one) || !isObject(other)) return one === other ? [] : [path];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
