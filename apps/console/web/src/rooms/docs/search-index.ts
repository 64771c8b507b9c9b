import MiniSearch from 'minisearch';
import { textOf, textOfBlock } from './document.ts';
import type { MarkdownDocument } from './document.ts';
import { referenceSlug } from './slugs.ts';
import type { DocumentSlug } from './slugs.ts';

/** A part of a document below one heading. */
export interface DocumentSection {
  /** The path of its page, with the heading's anchor. */
  path: string;
  title: string;
  /** Empty for what comes before the first heading. */
  heading: string;
  text: string;
}

/** Splits a document at its headings. */
export function sectionsOf(slug: DocumentSlug, { title, blocks }: MarkdownDocument): DocumentSection[] {
  const sections: DocumentSection[] = [{ path: `/docs/${slug}`, title, heading: '', text: '' }];
  for (const block of blocks) {
    const current = sections.at(-1) as DocumentSection;
    if (block.kind !== 'heading') current.text += `${textOfBlock(block)} `;
    else sections.push({ path: `/docs/${slug}#${block.id}`, title, heading: textOf(block.text), text: '' });
  }
  return sections;
}

/** The words that underscores join. */
function partsOf(word: string): string[] {
  const parts = word.split('_').filter(Boolean);
  return parts.length > 1 ? parts : [];
}

/** Finds the sections that have all words of a query: the most relevant first. The last word may be incomplete. */
export function indexSections(sections: DocumentSection[]): (query: string) => DocumentSection[] {
  const index = new MiniSearch<DocumentSection>({
    idField: 'path',
    fields: ['title', 'heading', 'text'],
    storeFields: ['path', 'title', 'heading', 'text'],
    // A query for `first_order` means the whole name, and `order` finds it too.
    tokenize: (text, field) => {
      const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
      return field === undefined ? words : words.flatMap((word) => [word, ...partsOf(word)]);
    },
  });
  index.addAll(sections);
  return (query) =>
    index
      .search(query, {
        combineWith: 'AND',
        boost: { title: 3, heading: 4 },
        // The reference lists what the guides explain.
        boostDocument: (path) => (String(path).startsWith(`/docs/${referenceSlug}#`) ? 0.3 : 1),
        // Korean particles follow the word; English words are misspelt.
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      })
      .slice(0, 12) as unknown as DocumentSection[];
}

/** The text around the first word of a query, at most 160 characters. */
export function excerptOf({ text }: DocumentSection, query: string): string {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  const position = Math.max(0, ...words.map((word) => lower.indexOf(word)));
  const start = Math.max(0, position - 50);
  const excerpt = text.slice(start, start + 160).trim();
  return `${start > 0 ? '… ' : ''}${excerpt}${start + 160 < text.length ? ' …' : ''}`;
}
