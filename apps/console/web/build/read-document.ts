import { dirname, join, normalize } from 'node:path/posix';
import { marked } from 'marked';
import type { Token, Tokens } from 'marked';
import type { Block, Inline, MarkdownDocument } from '../src/rooms/docs/document.ts';
import { documentSlugs, englishPath, koreanPath } from '../src/rooms/docs/slugs.ts';
import type { DocumentSlug } from '../src/rooms/docs/slugs.ts';

/** Reads a file by its path from the root of the repository. */
export type ReadFile = (path: string) => string;

/** The document for merchants at a path, in either language. */
const slugAt = (path: string): DocumentSlug | undefined =>
  documentSlugs.find((slug) => path === englishPath(slug) || path === koreanPath(slug));

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
  const { blocks } = openReader(path, readFile);
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

function openReader(path: string, readFile: ReadFile) {
  const ids = anchorsOf(originalOf(path), readFile);
  // The title has the first one.
  let heading = 1;

  function linkOf(href: string): string {
    if (/^[a-z]+:/.test(href)) return href;
    const [file = '', anchor] = href.split('#');
    const target = file ? normalize(join(dirname(path), file)) : path;
    const slug = slugAt(target);
    if (slug === undefined)
      throw new Error(`${path} links to ${href}, which is not a document for merchants`);
    if (anchor === undefined) return `/docs/${slug}`;
    const position = anchorsOf(target, readFile).indexOf(anchor);
    const id = anchorsOf(originalOf(target), readFile)[position];
    if (position < 0 || id === undefined) throw new Error(`${path} links to ${href}, which does not exist`);
    return `/docs/${slug}#${id}`;
  }

  const inlines = (tokens: Token[] = []): Inline[] => tokens.map(inline);

  function inline(token: Token): Inline {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token['text'] as string;
      case 'codespan':
        return { code: token['text'] as string };
      case 'strong':
        return { strong: inlines(token['tokens']) };
      case 'em':
        return { em: inlines(token['tokens']) };
      case 'link':
        return { link: linkOf(token['href'] as string), text: inlines(token['tokens']) };
      default:
        throw new Error(`${path}: ${token.type} cannot be displayed: ${token.raw.slice(0, 60)}`);
    }
  }

  const blocks = (tokens: Token[]): Block[] => tokens.filter(({ type }) => type !== 'space').map(block);

  function block(token: Token): Block {
    switch (token.type) {
      case 'heading': {
        const { depth, tokens } = token as Tokens.Heading;
        const id = ids[heading++];
        if (id === undefined) throw new Error(`${path} has more headings than ${originalOf(path)}`);
        return { kind: 'heading', level: depth, id, text: inlines(tokens) };
      }
      case 'paragraph':
      // In the items of a list.
      case 'text':
        return { kind: 'paragraph', text: inlines(token['tokens']) };
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        return { kind: 'list', ordered, items: items.map((item) => blocks(item.tokens)) };
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        const cells = (row: Tokens.TableCell[]) => row.map((cell) => inlines(cell.tokens));
        return { kind: 'table', head: cells(header), rows: rows.map(cells) };
      }
      case 'code': {
        const { lang = '', text } = token as Tokens.Code;
        return { kind: 'code', language: lang.split(' ')[0] ?? '', text };
      }
      case 'blockquote':
        return { kind: 'quote', blocks: blocks((token as Tokens.Blockquote).tokens) };
      default:
        throw new Error(`${path}: ${token.type} cannot be displayed: ${token.raw.slice(0, 60)}`);
    }
  }

  return { blocks };
}
