import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes } from '@rewardhook/contract';
import { projectRoot } from '@rewardhook/testing';
import { markdownSlugs, englishPath, koreanPath } from '../../apps/console/web/src/rooms/docs/slugs.ts';

const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/node_modules|dist/.test(name))
    .map((name) => join(folder, name));
const codeBlock = /^```.*?^```$/gms;

/** What a document consists of, in order: headings by level, tables by their size, lists, paragraphs and code. */
function structureOf(path: string): string[] {
  const parts = textOf(path)
    .replaceAll(codeBlock, (code) => code.replaceAll(/\n\n+/g, '\n'))
    .trim()
    .split(/\n\n+/);
  return parts.map((part) => {
    const lines = part.split('\n');
    const [first = ''] = lines;
    if (first.startsWith('#')) return (/^#+/.exec(first) as RegExpExecArray)[0];
    if (first.startsWith('```')) return 'code';
    if (first.startsWith('|')) return `table ${lines.length} × ${first.split(/(?<!\\)\|/).length}`;
    if (/^(?:-|\d+\.) /.test(first))
      return `list of ${lines.filter((line) => /^\s*(?:-|\d+\.) /.test(line)).length}`;
    return 'paragraph';
  });
}

describe('The documents for merchants', () => {
  it.each(markdownSlugs)('have the same structure and the same code in Korean: %s', (slug) => {
    const [english, korean] = [englishPath(slug), koreanPath(slug)];
    expect(structureOf(korean)).toEqual(structureOf(english));
    expect(textOf(korean).match(codeBlock)).toEqual(textOf(english).match(codeBlock));
  });

  it('list every error code, each once', () => {
    const rows = [...textOf('docs/errors.md').matchAll(/^\| (\d{3}) +\| `(\w+)` /gm)].map(
      ([, , code]) => code,
    );
    expect(rows.toSorted()).toEqual([...errorCodes].toSorted());
  });

  it('list every route of the API', () => {
    const routes = [
      ...[...textOf('apps/api/src/app.ts').matchAll(/'(\/(?:api\/open|health|r)\/[^']+)'/g)].map(
        ([, path]) => path,
      ),
      ...[
        ...textOf('apps/api/src/resources/read-routes.ts').matchAll(/(?:list|item)Route\(\s*'([^']+)'/g),
      ].map(([, path]) => `/api/open${path}`),
    ].map((path) => path?.replaceAll(/:(\w+)/g, '{$1}') ?? '');
    expect(routes.length).toBeGreaterThan(15);
    const documented = textOf('docs/api.md');
    const isDocumented = (path: string) =>
      [` ${path}/\``, ` ${path}\``].some((text) => documented.includes(text));
    expect(routes.filter((path) => !isDocumented(path))).toEqual([]);
  });

  it('never fetch the command line under the name of its command, which is not the name of our package', () => {
    const trackedFiles = execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' })
      .trim()
      .split('\n');
    const files = trackedFiles.filter(
      (path) =>
        /\.(?:md|txt|tsx?|[mc]?js|json|html|ya?ml|sh)$/.test(path) &&
        !/\.test\.ts$|^package-lock\.json$/.test(path) &&
        existsSync(join(projectRoot, path)),
    );
    // `npx --no` runs only what is installed; `-p` and `--package` name a package.
    const fetches = /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)(?: (?:-y|--yes|--))* rewardhook\b/g;
    const found = files.flatMap((path) =>
      [...textOf(path).matchAll(fetches)].map(([text]) => `${path}: ${text}`),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
    expect('npx rewardhook listen, npx --yes rewardhook listen'.match(fetches)).toHaveLength(2);
  });

  it('name each variable as the packages, the console and the example do', () => {
    const known = [
      ...['BASE_URL', 'SECRET_KEY', 'PUBLIC_KEY', 'IDENTITY_SECRET', 'SIGNING_SECRET'].map(
        (name) => `REWARDHOOK_${name}`,
      ),
      // Of the merchant's own server.
      'DATABASE_URL',
      'SHOP_PORT',
      'SHOP_FOLDER',
    ];
    const files = [
      ...markdownSlugs.flatMap((slug) => [englishPath(slug), koreanPath(slug)]),
      ...filesIn('apps/console/web/src/rooms/developers/snippets', /\.txt$/),
      ...filesIn('examples/receivers', /\.(?:mjs|ts|py)$/),
      ...filesIn('examples/verifiers', /\w$/),
      ...filesIn('apps/console/web/src', /\btexts\.ts$/),
      ...filesIn('packages', /^[^/]+\/README\.md$/),
      'examples/shop/README.md',
      'examples/shop/shop.mjs',
    ];
    const forms = [
      /\$\{?([A-Z][A-Z0-9_]{3,})\b/g,
      /\benv(?:iron)?(?:\.|\[?\(?["'])([A-Z][A-Z0-9_]{3,})/g,
      /\b([A-Z]+_(?:BASE_URL|API_URL|SECRET_KEY|PUBLIC_KEY|IDENTITY_SECRET|SIGNING_SECRET|WEBHOOK_SECRET))\b/g,
    ];
    const others = files.flatMap((file) =>
      forms
        .flatMap((form) => [...textOf(file).matchAll(form)])
        .map(([, name = '']) => name)
        .filter((name) => !known.includes(name))
        .map((name) => `${file}: ${name}`),
    );
    expect([...new Set(others)]).toEqual([]);
  });
});
