import fc from 'fast-check';
import { bodies } from '../corpus/values.ts';
import { mutated } from './mutate.ts';

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
