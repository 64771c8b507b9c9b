/**
 * How the processes run: `built` from `dist`, which `tsc -b` writes; `source` from `src` through tsx; `watched` from `src`
 * too, with a restart when one of their files changes.
 */
export type RunFrom = 'built' | 'source' | 'watched';

/** As in the image (ops/image/rewardhook). */
const memoryFlags = ['--max-semi-space-size=8'];
/** The setting of glibc's allocator that the image has too. */
export const allocatorEnvironment = { MALLOC_ARENA_MAX: '2' };

/** The arguments of `node` for a program of the checkout, such as `apps/api/main`. */
export function programArguments(name: string, from: RunFrom): string[] {
  const folder = name.slice(0, name.lastIndexOf('/'));
  const file = name.slice(name.lastIndexOf('/') + 1);
  if (from === 'built') return [...memoryFlags, `${folder}/dist/${file}.js`];
  const watch = from === 'watched' ? ['--watch', '--watch-preserve-output'] : [];
  return [...watch, ...memoryFlags, '--import', 'tsx', '-C', 'source', `${folder}/src/${file}.ts`];
}
