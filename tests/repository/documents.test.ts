import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

const trackedFiles = execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' })
  .trim()
  .split('\n');
const documents = trackedFiles.filter((path) => path.endsWith('.md'));
const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const withoutCodeBlocks = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gms, '');

/** The anchors of a document's headings, as GitHub derives them. */
function anchorsOf(text: string): string[] {
  return [...withoutCodeBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The relative links of a document: path of the file from the root, and the anchor. */
function linksOf(document: string): { link: string; path: string; anchor: string | undefined }[] {
  const links = withoutCodeBlocks(textOf(document)).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#');
      return { link, path: file ? join(dirname(document), file) : document, anchor };
    });
}

describe('A document', () => {
  it('links to files and headings that exist', () => {
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter(({ path, anchor }) => {
          if (!existsSync(join(projectRoot, path))) return true;
          return anchor !== undefined && !anchorsOf(textOf(path)).includes(anchor);
        })
        .map(({ link }) => `${document}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('is found by every comment, message and test that names it, with the heading that it names', () => {
    const named = /(?<![\w/.-])docs\/((?:[\w-]+\/)*[\w-]+\.md)(?:#([\w-]+))?/g;
    const broken = trackedFiles
      .filter((path) => !/\.md$/.test(path) && existsSync(join(projectRoot, path)))
      .flatMap((path) =>
        [...textOf(path).matchAll(named)]
          .filter(([, file = '', anchor]) => {
            if (!existsSync(join(projectRoot, 'docs', file))) return true;
            return anchor !== undefined && !anchorsOf(textOf(`docs/${file}`)).includes(anchor);
          })
          .map(([link]) => `${path}: ${link}`),
      );
    expect(broken).toEqual([]);
  });

  it('shows functions and tables of an evaluation that exist', () => {
    const shown = textOf('docs/evaluation.md');
    const sources = trackedFiles
      .filter((path) => /^(packages\/.*(?<!\.test)\.ts|prisma\/.*\.(sql|prisma))$/.test(path))
      .map(textOf)
      .join('\n');
    const functions = [...shown.matchAll(/(?:\b([\w.]+)\(\)|`([a-z]+[A-Z]\w+)`)/g)].map(
      ([, called, named]) => called ?? named,
    );
    const tables = [...shown.matchAll(/\[\((\w+)\)\]/g)].map(([, table]) => table);
    expect([functions.length > 20, tables.length > 10]).toEqual([true, true]);
    expect(functions.filter((name) => !new RegExp(`\\bfunction ${name}\\(`, 'i').test(sources))).toEqual([]);
    expect(tables.filter((name) => !sources.includes(`@@map("${name}")`))).toEqual([]);
  });

  it('names files and folders of this repository that exist', () => {
    const named = /`((?:apps|packages|tests|scripts|bench|chaos|prisma|docs)\/[\w./-]+)`/g;
    // A test may be named without its ending, as `npx jest` takes it.
    const isTracked = (path: string) =>
      trackedFiles.some((tracked) => tracked === path || tracked.startsWith(`${path.replace(/\/$/, '')}/`)) ||
      trackedFiles.some((tracked) => tracked.startsWith(`${path}.`) && /\.test\.ts$/.test(tracked));
    const missing = documents.flatMap((document) =>
      [...textOf(document).matchAll(named)]
        .map(([, path = '']) => path)
        .filter((path) => !isTracked(path) && !/\/(?:dist|dist-web|screenshots|results)\b/.test(path))
        .map((path) => `${document}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
