/** How the processes run: from `dist`, which `tsc -b` has to have made, or from `src` through tsx. */
export type RunFrom = 'built' | 'source';

/**
 * Settings of `node` for the processes, as in the Dockerfile's commands. V8 lets the young generation grow to 48 MB as
 * long as the machine has memory; a service that handles a batch at a time gains nothing from that.
 */
const nodeSettings = ['--max-semi-space-size=4'];

/** The arguments of `node` that run a program of the checkout, named as `apps/api/main`. */
export function programArguments(name: string, from: RunFrom): string[] {
  const folder = name.slice(0, name.lastIndexOf('/'));
  const file = name.slice(name.lastIndexOf('/') + 1);
  if (from === 'built') return [...nodeSettings, `${folder}/dist/${file}.js`];
  return ['--import', 'tsx', '-C', 'source', `${folder}/src/${file}.ts`];
}
