/** Text within a block. */
export type Inline =
  string | { code: string } | { strong: Inline[] } | { em: Inline[] } | { link: string; text: Inline[] };

/** A heading below the title. `id` is that of the English document in every language. */
export interface HeadingBlock {
  kind: 'heading';
  level: number;
  id: string;
  text: Inline[];
}

/** A part of a document. */
export type Block =
  | HeadingBlock
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] };

/** A Markdown document, as the build reads it. Links to other documents are paths of the console. */
export interface MarkdownDocument {
  title: string;
  blocks: Block[];
}

/** The text of a part, without its marks. */
export function textOf(inline: readonly Inline[]): string {
  return inline
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('code' in part) return part.code;
      if ('strong' in part) return textOf(part.strong);
      if ('em' in part) return textOf(part.em);
      return textOf(part.text);
    })
    .join('');
}

/** The text of a block, including its code. */
export function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return textOf(block.text);
    case 'list':
      return block.items.map((item) => item.map(textOfBlock).join(' ')).join(' ');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(textOf).join(' ')).join(' ');
    case 'code':
      return block.text;
    case 'quote':
      return block.blocks.map(textOfBlock).join(' ');
  }
}
