import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { documentPaths, excerptBlock, withExcerpts } from '../../scripts/write-excerpts.ts';

const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const shown = documentPaths().flatMap((path) =>
  [...textOf(path).matchAll(excerptBlock)].map(([, , reference = '']) => reference),
);

describe('The code of a document', () => {
  it('that comes from a file is what npm run docs:excerpts has written', () => {
    for (const path of documentPaths())
      expect([path, textOf(path)]).toEqual([path, withExcerpts(textOf(path))]);
  });

  it('comes from a file that a test runs, if it receives webhooks, and shows no marks of regions', () => {
    const receives =
      /x-service-signature|webhook-signature|webhookReceiver|webhookHandler|verifyWebhook|createServer|is_webhook/i;
    const blocks = documentPaths()
      .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'))
      .flatMap((path) =>
        [...textOf(path).matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map(
          ([, language = '', marks = '', code = '']) => ({ path, language, marks, code }),
        ),
      )
      .filter(({ language }) => !['json', 'text', 'sql', 'sh'].includes(language));
    expect(blocks.length).toBeGreaterThan(20);
    const copied = blocks.filter(({ code, marks }) => receives.test(code) && !marks.includes('file='));
    expect(copied.map(({ path, code }) => `${path}: ${code.slice(0, 60)}`)).toEqual([]);
    expect(blocks.filter(({ code }) => code.includes('#region'))).toEqual([]);
  });

  it('shows every receiver and verifier, and every marked region of the examples', () => {
    const files = ['receivers', 'verifiers'].flatMap((folder) =>
      readdirSync(join(projectRoot, 'examples', folder)).map((name) => `examples/${folder}/${name}`),
    );
    const regions = readdirSync(join(projectRoot, 'examples'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|tsx|mjs)$/.test(name) && !name.includes('node_modules'))
      .map((name) => `examples/${name}`)
      .flatMap((path) => [...textOf(path).matchAll(/#region (\S+)/g)].map(([, name]) => `${path}#${name}`));
    expect(regions.length).toBeGreaterThan(0);
    expect([...files, ...regions].filter((reference) => !shown.includes(reference))).toEqual([]);
  });
});
