import { runnerImport } from 'vite';
import type { Plugin } from 'vite';
import { isPair } from '../src/app/pairs.ts';
import type { Pairs } from '../src/app/pairs.ts';

/** The texts of one language, by key. */
interface Texts {
  [key: string]: string | Texts;
}

/** Splits the texts, which stand in pairs, by language: `texts.ts?ko` has the Korean ones of `texts.ts`. */
export function texts(): Plugin {
  return {
    name: 'texts',
    enforce: 'pre',
    async load(id) {
      const [, file, language] = /^(.+\/texts\.ts)\?(en|ko)$/.exec(id) ?? [];
      if (file === undefined) return undefined;
      const { module, dependencies } = await runnerImport<{ texts: Pairs }>(file, fromSources);
      for (const dependency of dependencies) this.addWatchFile(dependency);
      return `export default ${JSON.stringify(textsOf(module.texts, language === 'en' ? 0 : 1))};`;
    },
  };
}

/** Workspace packages are read from their sources, as in the page itself. */
const fromSources = {
  environments: { inline: { resolve: { conditions: ['source'], noExternal: [/^@rewardhook\//] } } },
};

function textsOf(pairs: Pairs, language: 0 | 1): Texts {
  return Object.fromEntries(
    Object.entries(pairs).map(([key, value]) => [
      key,
      isPair(value) ? value[language] : textsOf(value, language),
    ]),
  );
}
