import fc from 'fast-check';
import { queryValues } from '../corpus/values.ts';

/** A value in one of `oneIn` cases, and undefined in the others. */
export function sometimes<T>(value: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 1, arbitrary: value }, { weight: oneIn - 1, arbitrary: fc.constant(undefined) });
}

/** Addresses of clients, each as a proxy names it. */
export const addresses: fc.Arbitrary<string> = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((bytes) => `10.${bytes.join('.')}`);

/**
 * Queries with their `?`, or empty ones. Each parameter is in a third of them, mostly with a right value where there are some,
 * otherwise with a hostile one.
 */
export function queriesOf(
  parameters: { name: string; right?: fc.Arbitrary<string> }[],
): fc.Arbitrary<string> {
  const fields = parameters.map(({ name, right }) => {
    const hostile = fc.constantFrom(...queryValues).map((text) => text.replaceAll('NAME', name));
    const value = right ? fc.oneof({ weight: 3, arbitrary: right }, hostile) : hostile;
    return sometimes(
      value.map((text) => `${name}=${text}`),
      3,
    );
  });
  return fc.tuple(...fields).map((texts) => {
    const given = texts.filter((text) => text !== undefined);
    return given.length === 0 ? '' : `?${given.join('&')}`;
  });
}
