import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { textOfBlock } from '../web/src/rooms/docs/document.ts';
import type { Block, Field, MarkdownDocument } from '../web/src/rooms/docs/document.ts';
import { excerptOf, indexSections, sectionsOf } from '../web/src/rooms/docs/search-index.ts';
import { documentSlugs, englishPath, koreanPath, markdownSlugs } from '../web/src/rooms/docs/slugs.ts';
import type { DocumentSlug } from '../web/src/rooms/docs/slugs.ts';
import { readDocuments } from './testing/read-documents.ts';

const idsOfField = ({ id, fields }: Field): string[] => [...(id ? [id] : []), ...fields.flatMap(idsOfField)];

function idsOf(block: Block): string[] {
  if (block.kind === 'heading') return [block.id];
  return block.kind === 'fields' ? block.fields.flatMap(idsOfField) : [];
}

/** The names of all properties and parameters in a part of an OpenAPI document. */
function propertyNames(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties, name } = part as { properties?: object; name?: unknown };
  return [
    ...Object.keys(properties ?? {}),
    ...('in' in part && typeof name === 'string' ? [name] : []),
    ...Object.values(part).flatMap(propertyNames),
  ];
}

describe('The documents in the console', () => {
  let documents: Map<DocumentSlug, MarkdownDocument>;
  let search: ReturnType<typeof indexSections>;

  beforeAll(() => {
    const pathOf = (slug: DocumentSlug) =>
      slug === 'api-reference' ? 'docs/openapi.json' : englishPath(slug);
    const read = readDocuments(documentSlugs.map(pathOf));
    documents = new Map(documentSlugs.map((slug, index) => [slug, read[index] as MarkdownDocument]));
    search = indexSections([...documents].flatMap(([slug, document]) => sectionsOf(slug, document)));
  }, 60_000);

  // Reading them throws for what the page cannot display, and for links to what is not for merchants.
  it('have a title and text, and link only to documents for merchants', () => {
    for (const { title, blocks } of documents.values()) {
      expect(title).not.toBe('');
      const withText = blocks.filter(({ kind }) => kind !== 'label');
      expect(withText.map(textOfBlock).filter((text) => text.trim() === '')).toEqual([]);
    }
  });

  it('are those of the chunks that the page loads', () => {
    const loading = join(projectRoot, 'apps/console/web/src/rooms/docs/load-document.ts');
    for (const slug of markdownSlugs)
      expect(readFileSync(loading, 'utf8')).toContain(`/${englishPath(slug)}'`);
  });

  it('have the headings that the console links to', () => {
    const source = join(projectRoot, 'apps/console/web/src');
    const targets = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) => [
        ...readFileSync(join(source, path), 'utf8').matchAll(/<DocsLink to="([^"]+)"|\bdocs="([^"]+)"/g),
      ])
      .map(([, to, docs]) => to ?? docs ?? '');
    expect(targets.length).toBeGreaterThan(15);
    const missing = targets.filter((target) => {
      const [slug, anchor] = target.split('#');
      const { blocks = [] } = documents.get(slug as DocumentSlug) ?? {};
      return anchor !== undefined && !blocks.some((block) => block.kind === 'heading' && block.id === anchor);
    });
    expect(missing).toEqual([]);
  });

  it('are found by words of a heading, by a code, by the beginning of a word, and with a typing error', () => {
    const paths = (query: string) => search(query).map(({ path }) => path);
    expect(paths('grant once')[0]).toBe('/docs/webhooks#grant-once');
    expect(paths('public_key_required')).toContain('/docs/errors#error-codes');
    expect(paths('first_order')[0]).toMatch(/api#fields|rewards#/);
    expect(paths('retr').slice(0, 3)).toContain('/docs/webhooks#retries');
    expect(paths('signatur rotaton')).not.toEqual([]);
    for (const word of ['refund', 'partial', 'guest', 'currency', 'merge', 'tax', 'go live'])
      expect(paths(word).some((path) => path.startsWith('/docs/what-to-send'))).toBe(true);
    expect(paths('rotate')).not.toEqual([]);
    expect(paths('no such words anywhere')).toEqual([]);
  });

  it('are found by the words that merchants use for a thing, in both languages', () => {
    const read = readDocuments(markdownSlugs.map(koreanPath));
    const korean = indexSections(
      markdownSlugs.flatMap((slug, index) => sectionsOf(slug, read[index] as MarkdownDocument)),
    );
    for (const [find, query, path] of [
      [search, 'firewall', '/docs/webhooks#behind-a-firewall'],
      [search, 'allow list', '/docs/webhooks#behind-a-firewall'],
      [search, 'VAT', '/docs/what-to-send#amounts'],
      [search, 'launch', '/docs/what-to-send#before-you-go-live'],
      [search, 'cash on delivery', '/docs/what-to-send#from-the-order-to-the-return'],
      [search, 'exchange', '/docs/what-to-send#from-the-order-to-the-return'],
      [korean, '출시', '/docs/what-to-send#before-you-go-live'],
      [korean, '방화벽', '/docs/webhooks#behind-a-firewall'],
      [korean, '허용 목록', '/docs/webhooks#behind-a-firewall'],
      [korean, '부가세', '/docs/what-to-send#amounts'],
      [korean, 'VAT', '/docs/what-to-send#amounts'],
    ] as const)
      expect([query, find(query)[0]?.path]).toEqual([query, path]);
  });

  it('have every operation, parameter, field and webhook of the OpenAPI document, and no link that leads nowhere', () => {
    const { blocks = [] } = documents.get('api-reference') ?? {};
    const ids = blocks.flatMap(idsOf);
    const source = readFileSync(join(projectRoot, 'docs/openapi.json'), 'utf8');
    const named = (pattern: RegExp) => [...source.matchAll(pattern)].map(([, name = '']) => name);
    expect(named(/"operationId": "([^"]+)"/g).filter((id) => !ids.includes(id))).toEqual([]);
    const { paths, webhooks, components } = JSON.parse(source) as Record<string, Record<string, object>>;
    const schemas = Object.keys(components?.['schemas'] ?? {}).map((name) => `schema-${name}`);
    expect(schemas.length).toBeGreaterThan(20);
    expect(schemas.filter((id) => !ids.includes(id))).toEqual([]);
    const text = blocks.map(textOfBlock).join(' ');
    const names = [...propertyNames({ paths, webhooks, components }), ...Object.keys(paths ?? {})];
    expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
    const targets = JSON.stringify(blocks).match(/(?<="\/docs\/api-reference#)[^"]+/g) ?? [];
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids).toHaveLength(new Set(ids).size);
  });

  it('are found by a field of the API reference', () => {
    expect(search('exceed_limits').map(({ path }) => path)).toContain('/docs/api-reference#grantReward');
  });

  it('are listed in search results with the text around the words', () => {
    const [first] = search('payload_too_large');
    expect(first && excerptOf(first, 'payload_too_large')).toContain('payload_too_large');
  });
});
