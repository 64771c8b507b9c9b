import { walkWithHostileValues } from './walk-with-hostile-values.ts';

it('No route of the console answers 5xx to hostile values, and each of its errors has a text in both languages', async () => {
  const { calls, failures, untranslated } = await walkWithHostileValues();
  expect(failures).toEqual([]);
  expect(untranslated).toEqual([]);
  expect(calls).toBeGreaterThan(2_000);
}, 600_000);
