import type { Plugin } from 'vite';

/** The modules with the class names of a component, and the stylesheet with its styles. */
const classNames = /\/@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;
const stylesheet = /\/@mantine\/core\/styles\/([A-Z]\w+)\.css$/;

/** Refuses a build in which a component of Mantine has no styles, or a stylesheet has no component (app/mantine-styles.ts). */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk' ? output.moduleIds : [],
      );
      const named = (pattern: RegExp, all: Iterable<string>) =>
        new Set([...all].flatMap((id) => pattern.exec(id.replaceAll('\\', '/'))?.[1] ?? []));
      const used = named(classNames, ids);
      const styled = named(stylesheet, this.getModuleIds());
      const wrong = [...used, ...styled].filter((name) => !used.has(name) || !styled.has(name));
      if (wrong.length > 0)
        this.error(`app/mantine-styles.ts and the components in use differ: ${wrong.join(', ')}`);
    },
  };
}
