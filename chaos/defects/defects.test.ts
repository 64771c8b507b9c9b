import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { checks } from '../checks/check-history.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { applyEdits } from './apply-edits.ts';
import { defects } from './defects.ts';
import { hiddenGuards } from './hidden.ts';

describe('A planted defect', () => {
  test.each(defects.map((defect) => [defect.name, defect] as const))(
    '%s still finds the code of its guard, once',
    (_, { edits }) => {
      expect(applyEdits(projectRoot, edits).size).toBeGreaterThan(0);
    },
  );

  test('has a name of its own', () => {
    const names = defects.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test('names a scenario that exists', () => {
    const known = new Set(scenarios.map(({ name }) => name));
    const unknown = defects.filter(({ caughtBy }) => 'scenario' in caughtBy && !known.has(caughtBy.scenario));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('names a check that exists', () => {
    const own = scenarios.flatMap(({ ownChecks = [] }) => ownChecks);
    const known = new Set([...checks, ...own].map(({ name }) => name));
    const unknown = defects.filter(({ caughtBy }) => 'check' in caughtBy && !known.has(caughtBy.check));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('that only a test can show names its file, and a title in it', () => {
    const unknown = defects.filter(
      ({ caughtBy }) =>
        'test' in caughtBy &&
        !readFileSync(join(projectRoot, caughtBy.test), 'utf8').includes(caughtBy.title),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });
});

test('Every check has a name of its own', () => {
  const names = checks.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test.each(hiddenGuards)('The reason why nobody can miss $guard stands in $file', ({ guard, file }) => {
  expect(readFileSync(join(projectRoot, file), 'utf8')).toContain(guard);
});
