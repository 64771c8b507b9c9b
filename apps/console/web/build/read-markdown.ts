import type { Token, Tokens } from 'marked';
import type { Block, Inline } from '../src/rooms/docs/document.ts';

/** Reads a file by its path from the root of the repository. */
export type ReadFile = (path: string) => string;

/**
 * Turns the tokens of Markdown into the parts of a document. `linkOf` resolves a link, `nextId` is called for each heading.
 * Throws for what the page cannot display.
 */
export function openReader(
  path: string,
  linkOf: (href: string) => string,
  nextId: () => string | undefined = () => undefined,
) {
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
        const id = nextId();
        if (id === undefined) throw new Error(`${path} has a heading without an id`);
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

  return { blocks, inlines };
}
