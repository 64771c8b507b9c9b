/**
 * How the processes run: from `dist`, which `tsc -b` has to have made; from `src` through tsx; or from `src` and
 * started again when one of their files changes.
 */
export type RunFrom = 'built' | 'source' | 'watched';

/** The arguments of `node` that run a program of the checkout, named as `apps/api/main`. */
export function programArguments(name: string, from: RunFrom): string[] {
  const folder = name.slice(0, name.lastIndexOf('/'));
  const file = name.slice(name.lastIndexOf('/') + 1);
  if (from === 'built') return [`${folder}/dist/${file}.js`];
  const watch = from === 'watched' ? ['--watch', '--watch-preserve-output'] : [];
  return [...watch, '--import', 'tsx', '-C', 'source', `${folder}/src/${file}.ts`];
}
