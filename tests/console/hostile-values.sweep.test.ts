import { walkWithHostileValues } from './walk-with-hostile-values.ts';

it('No route of the console answers 5xx to any of the hostile values in its path, query or body', async () => {
  const { calls, failures, untranslated } = await walkWithHostileValues({ few: false });
  expect(failures).toEqual([]);
  expect(untranslated).toEqual([]);
  expect(calls).toBeGreaterThan(2_000);
}, 600_000);
