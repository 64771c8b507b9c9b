import { dirname, join, normalize } from 'node:path/posix';
import { marked } from 'marked';
import type { Tokens } from 'marked';
import type { MarkdownDocument } from '../src/rooms/docs/document.ts';
import { englishPath, koreanPath, markdownSlugs, referenceSlug } from '../src/rooms/docs/slugs.ts';
import type { DocumentSlug } from '../src/rooms/docs/slugs.ts';
import { openReader } from './read-markdown.ts';
import type { ReadFile } from './read-markdown.ts';
import { anchorsOfReference, referencePath } from './read-reference.ts';

/** The document for merchants at a path, in either language. */
const slugAt = (path: string): DocumentSlug | undefined =>
  markdownSlugs.find((slug) => path === englishPath(slug) || path === koreanPath(slug));

/** The path of the English document of the one at `path`. */
function originalOf(path: string): string {
  const slug = slugAt(path);
  if (slug === undefined) throw new Error(`${path} is not a document for merchants`);
  return englishPath(slug);
}

/**
 * Reads a document for merchants. Ids of headings are those of the English document, by position, so that a link holds
 * in every language. Throws for what the page cannot display, and for a link to a file that is not for merchants.
 */
export function readDocument(path: string, readFile: ReadFile): MarkdownDocument {
  const [title, ...tokens] = marked.lexer(readFile(path)).filter(({ type }) => type !== 'space');
  if (title?.type !== 'heading' || title['depth'] !== 1) throw new Error(`${path} must begin with its title`);
  const ids = anchorsOf(originalOf(path), readFile);
  // The title has the first one.
  let heading = 1;
  const { blocks } = openReader(path, linksOf(path, readFile), () => ids[heading++]);
  return { title: title['text'] as string, blocks: blocks(tokens) };
}

/** The anchors of the headings of a document, in order, as GitHub derives them. */
function anchorsOf(path: string, readFile: ReadFile): string[] {
  const used = new Map<string, number>();
  return marked
    .lexer(readFile(path))
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text }) => {
      const anchor = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-');
      const before = used.get(anchor) ?? 0;
      used.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    });
}

/** Where the links of a document lead. */
function linksOf(path: string, readFile: ReadFile): (href: string) => string {
  return (href) => {
    if (/^[a-z]+:/.test(href)) return href;
    const [file = '', anchor] = href.split('#');
    const target = file ? normalize(join(dirname(path), file)) : path;
    const isReference = target === referencePath;
    const slug = isReference ? referenceSlug : slugAt(target);
    if (slug === undefined)
      throw new Error(`${path} links to ${href}, which is not a document for merchants`);
    if (anchor === undefined) return `/docs/${slug}`;
    const anchors = isReference ? anchorsOfReference(readFile) : anchorsOf(target, readFile);
    const ids = isReference ? anchors : anchorsOf(originalOf(target), readFile);
    const id = ids[anchors.indexOf(anchor)];
    if (id === undefined) throw new Error(`${path} links to ${href}, which does not exist`);
    return `/docs/${slug}#${id}`;
  };
}
