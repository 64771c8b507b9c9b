/** How the processes run: from `dist`, which `tsc -b` has to have made, or from `src` through tsx. */
export type RunFrom = 'built' | 'source';

/** The arguments of `node` that run a program of the checkout, named as `apps/api/main`. */
export function programArguments(name: string, from: RunFrom): string[] {
  const folder = name.slice(0, name.lastIndexOf('/'));
  const file = name.slice(name.lastIndexOf('/') + 1);
  if (from === 'built') return [`${folder}/dist/${file}.js`];
  return ['--import', 'tsx', '-C', 'source', `${folder}/src/${file}.ts`];
}
