import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { allTexts } from './testing/all-texts.ts';
import { readPageSources } from './testing/page-sources.ts';

/** What completes the keys of a group that has other texts too. */
const completions = new Map([
  ['corrections.${}', ['grant', 'adjust', 'revoke', 'granted', 'adjusted', 'revoked']],
  ['program.${}', ['referee', 'referrer']],
  ['referrals.${}ed', ['accept', 'reject']],
  ['replays.${}', ['pause', 'resume', 'cancel']],
  ['webhooks.${}', ['pause', 'resume', 'enable']],
]);

/** What strings begin with that are the same in every language. */
const untranslated =
  /^(?:Rewardhook|SKU|HTTP \$\{\}|https:\/\/shop\.example\.com|node:crypto|@rewardhook\/verify|X-Service-Signature: |\{"id":)/;

const texts = allTexts.map((text) => ({ ...text, calledAs: text.key.replace(/_(?:one|other)$/, '') }));
const sources = readPageSources();

/** The texts that a string in the source is the key of: `states.${}` is that of every state. */
function textsOf(string: string) {
  const [group = '', ...rest] = string.split('.');
  if (rest.length === 0 || !groups.has(group)) return [];
  const keys = completions.get(string)?.map((value) => string.replace('${}', value));
  const parts = string.split('.');
  return texts.filter(({ calledAs }) => {
    if (keys) return keys.includes(calledAs);
    const names = calledAs.split('.');
    return names.length === parts.length && names.every((name, index) => completes(name, parts[index] ?? ''));
  });
}
const groups = new Set(texts.map(({ key }) => key.split('.')[0]));

/** Whether a part of a key, such as `${}Hint`, can become this name. */
function completes(name: string, part: string): boolean {
  const [before = '', after] = part.split('${}');
  if (after === undefined) return name === part;
  return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

const uses = sources.flatMap(({ path, strings }) =>
  [...strings]
    .map((string) => ({ path, string, texts: textsOf(string) }))
    .filter((use) => use.texts.length > 0),
);

describe('The texts of the console', () => {
  it('have the same parameters in both languages', () => {
    const parameters = (text: string) =>
      [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name).toSorted();
    for (const { key, english, korean } of texts)
      expect([key, parameters(korean)]).toEqual([key, parameters(english)]);
  });

  it('are complete sentences where they say what an error is', () => {
    const errors = texts.filter(({ key }) => key.startsWith('errorTexts.'));
    const incomplete = errors.filter(
      ({ english, korean }) => ![english, korean].every((text) => /[.}]$/.test(text)),
    );
    expect(errors.length).toBeGreaterThan(100);
    expect(incomplete).toEqual([]);
  });

  it('have no Korean one with a pair of particles, or with a fixed one after a value that determines it', () => {
    const wrong = /\([이은을으]\)|\([가는를로]\)|\}\}(?:[이가은는을를]|으로|와|과) /;
    expect(texts.filter(({ korean }) => wrong.test(korean))).toEqual([]);
  });

  it('are all used', () => {
    const used = new Set(uses.flatMap((use) => use.texts));
    expect(texts.filter((text) => !used.has(text)).map(({ key }) => key)).toEqual([]);
  });

  it('have no completion of a key that nothing uses', () => {
    const strings = new Set(uses.map(({ string }) => string));
    expect([...completions.keys()].filter((key) => !strings.has(key))).toEqual([]);
  });

  // A page that shows a text of another room would show its key until a page of that room is opened.
  it('are loaded with the pages that show them', () => {
    const missing = uses.filter(({ path, texts: some }) => {
      const [, room] = /^rooms\/(\w+)\//.exec(path) ?? [];
      return some.some((text) => text.room !== 'app' && text.room !== room);
    });
    expect(missing.map(({ path, string }) => `${path}: ${string}`)).toEqual([]);
  });

  it('are loaded with each page of their room', () => {
    const pages = readFileSync(join(projectRoot, 'apps/console/web/src/app/pages.ts'), 'utf8');
    const rooms = [
      ...pages.matchAll(/page\(\s*'(\w+)',\s*'[^']*',\s*\(\) =>\s*import\('\.\.\/rooms\/(\w+)\//g),
    ];
    expect(rooms).toHaveLength(pages.split("import('../rooms/").length - 1);
    for (const [, loaded, room] of rooms) expect(loaded).toBe(room);
  });

  it('are where every word on the page comes from', () => {
    const words = sources.flatMap(({ path, shown }) =>
      shown
        .filter((text) => /\p{L}{2}/u.test(text) && !untranslated.test(text))
        .map((text) => `${path}: ${text}`),
    );
    expect(words).toEqual([]);
  });
});
