/** Text within a block. */
export type Inline =
  string | { code: string } | { strong: Inline[] } | { em: Inline[] } | { link: string; text: Inline[] };

/** A heading below the title. `id` is that of the English document in every language. */
export interface HeadingBlock {
  kind: 'heading';
  level: number;
  id: string;
  text: Inline[];
  /** The language of the text, if it is not that of the page. */
  language?: 'en';
}

/** A field of a request, an answer or an event, or an answer itself. */
export interface Field {
  /** Empty for a body. */
  name: string;
  /** An anchor, if others link to it. */
  id?: string;
  /** Its type and limits, in the language of the page. */
  notes: Inline[][];
  /** In English. */
  text: Inline[];
  /** What it consists of. */
  fields: Field[];
}

/** A part of a document. */
export type Block =
  | HeadingBlock
  | { kind: 'paragraph'; text: Inline[]; language?: 'en' }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'endpoint'; method: string; path: string }
  | { kind: 'label'; text: string }
  | { kind: 'fields'; fields: Field[] };

/** A document, as the build reads it. Links to other documents are paths of the console. */
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
    case 'endpoint':
      return `${block.method} ${block.path}`;
    case 'label':
      return '';
    case 'fields':
      return block.fields.map(textOfField).join(' ');
  }
}

const textOfField = ({ name, text, fields }: Field): string =>
  [name, textOf(text), ...fields.map(textOfField)].join(' ');
