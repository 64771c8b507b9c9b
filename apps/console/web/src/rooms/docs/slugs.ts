/**
 * The documents for merchants, by group, in the order of the navigation. Each is docs/<slug>.md and docs/ko/<slug>.md; the
 * changelog is CHANGELOG.md, and the API reference is made from docs/openapi.json.
 */
export const documentGroups = [
  { key: 'start', slugs: ['quickstart'] },
  { key: 'guides', slugs: ['what-to-send', 'webhooks', 'linking', 'rewards', 'cli'] },
  { key: 'reference', slugs: ['api', 'api-reference', 'errors', 'versioning', 'changelog'] },
] as const;

/** The name of a document in the path of its page. */
export type DocumentSlug = (typeof documentGroups)[number]['slugs'][number];

/** All documents for merchants, in the order of the navigation. */
export const documentSlugs: readonly DocumentSlug[] = documentGroups.flatMap(({ slugs }) => slugs);

/** The document that is made from docs/openapi.json. */
export const referenceSlug = 'api-reference';

/** The documents that are Markdown files. */
export const markdownSlugs = documentSlugs.filter((slug) => slug !== referenceSlug);

/** The path of the English document from the root of the repository. */
export const englishPath = (slug: DocumentSlug): string =>
  slug === 'changelog' ? 'CHANGELOG.md' : `docs/${slug}.md`;

/** The path of the Korean document from the root of the repository. */
export const koreanPath = (slug: DocumentSlug): string => `docs/ko/${slug}.md`;
