import fc from 'fast-check';

/** A value in one of `oneIn` cases, and undefined in the others. */
export function sometimes<T>(value: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 1, arbitrary: value }, { weight: oneIn - 1, arbitrary: fc.constant(undefined) });
}
