import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The runtimes that tests/frameworks installs, and that of the tests. */
export type Runtime = 'Node.js' | 'Bun' | 'Deno';

/**
 * The command of a runtime, to be followed by a file. `modules` is what `installLocked('tests/frameworks')` has returned, or a
 * folder with links to it. The program may use the network, the environment and files.
 */
export function runtimeCommand(runtime: Runtime, modules: string): string[] {
  // npm installs the one package of a scope that is for this platform.
  const platformPackage = (scope: string) => join(modules, scope, readdirSync(join(modules, scope))[0] ?? '');
  switch (runtime) {
    case 'Node.js':
      return [process.execPath];
    case 'Bun':
      return [join(platformPackage('@oven'), 'bin/bun')];
    case 'Deno': {
      const rights = ['net', 'env', 'read', 'write'].map((name) => `--allow-${name}`);
      return [join(platformPackage('@deno'), 'deno'), 'run', ...rights, '--node-modules-dir=manual'];
    }
  }
}
