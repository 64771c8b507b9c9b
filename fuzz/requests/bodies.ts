import fc from 'fast-check';
import { bodies, inheritedNames, values } from '../corpus/values.ts';
import { sometimes } from './arbitraries.ts';

/** Bodies as they are sent: right ones and mutated ones, by these weights, and now and then one of the corpus. */
export function bodiesOf(
  right: fc.Arbitrary<unknown>,
  rightWeight: number,
  mutatedWeight: number,
): fc.Arbitrary<string> {
  const written = (value: fc.Arbitrary<unknown>) => value.map((one) => JSON.stringify(one) ?? '');
  return fc.oneof(
    { weight: rightWeight, arbitrary: written(right) },
    { weight: mutatedWeight, arbitrary: written(mutated(right)) },
    { weight: 1, arbitrary: fc.constantFrom(...bodies) },
  );
}

/** A part of a body: the fields and indexes that lead to it. */
type Keys = (string | number)[];

/** Copies of a value in which one part, at any depth, has a hostile value, or is there under a hostile name. */
function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.nat(), fc.constantFrom(...values), sometimes(fc.constantFrom(...inheritedNames), 8))
    .map(([body, index, hostile, name]) => {
      const all = keysIn(body);
      const chosen = all[index % Math.max(1, all.length)] ?? [];
      return replaceAt(body, chosen, hostile, name);
    });
}

function keysIn(value: unknown, at: Keys = []): Keys[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [at, ...inner.flatMap((key) => keysIn((value as Record<string, unknown>)[key], [...at, key]))];
}

function replaceAt(
  value: unknown,
  [key, ...rest]: Keys,
  hostile: unknown,
  name: string | undefined,
): unknown {
  if (key === undefined) return hostile;
  if (Array.isArray(value))
    return value.map((one, index) => (index === key ? replaceAt(one, rest, hostile, name) : one));
  const entries = Object.entries(value as object).map(([field, inner]): [string, unknown] =>
    field === key
      ? [rest.length === 0 ? (name ?? field) : field, replaceAt(inner, rest, hostile, name)]
      : [field, inner],
  );
  // A field of this name, not the prototype.
  return Object.fromEntries(entries);
}
