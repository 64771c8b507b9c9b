import { walkWithHostileValues } from './walk-with-hostile-values.ts';

it('No route of the console answers 5xx to hostile values in its path, query or body', async () => {
  const { calls, failures } = await walkWithHostileValues({ few: true });
  expect(failures).toEqual([]);
  expect(calls).toBeGreaterThan(400);
}, 60_000);
