import { queryOptions } from '@tanstack/react-query';
import type { Language } from '../../app/language.ts';
import type { MarkdownDocument } from './document.ts';
import { documentSlugs } from './slugs.ts';
import type { DocumentSlug } from './slugs.ts';

type Load = () => Promise<{ default: MarkdownDocument }>;

/** Each document is a chunk of its own. */
const chunks: Record<DocumentSlug, Record<Language, Load>> = {
  quickstart: {
    en: () => import('../../../../../../docs/quickstart.md'),
    ko: () => import('../../../../../../docs/ko/quickstart.md'),
  },
  api: {
    en: () => import('../../../../../../docs/api.md'),
    ko: () => import('../../../../../../docs/ko/api.md'),
  },
  'api-reference': {
    en: () => import('virtual:api-reference/en'),
    ko: () => import('virtual:api-reference/ko'),
  },
  errors: {
    en: () => import('../../../../../../docs/errors.md'),
    ko: () => import('../../../../../../docs/ko/errors.md'),
  },
  'what-to-send': {
    en: () => import('../../../../../../docs/what-to-send.md'),
    ko: () => import('../../../../../../docs/ko/what-to-send.md'),
  },
  webhooks: {
    en: () => import('../../../../../../docs/webhooks.md'),
    ko: () => import('../../../../../../docs/ko/webhooks.md'),
  },
  cli: {
    en: () => import('../../../../../../docs/cli.md'),
    ko: () => import('../../../../../../docs/ko/cli.md'),
  },
  linking: {
    en: () => import('../../../../../../docs/linking.md'),
    ko: () => import('../../../../../../docs/ko/linking.md'),
  },
  rewards: {
    en: () => import('../../../../../../docs/rewards.md'),
    ko: () => import('../../../../../../docs/ko/rewards.md'),
  },
  versioning: {
    en: () => import('../../../../../../docs/versioning.md'),
    ko: () => import('../../../../../../docs/ko/versioning.md'),
  },
  changelog: {
    en: () => import('../../../../../../CHANGELOG.md'),
    ko: () => import('../../../../../../docs/ko/changelog.md'),
  },
};

const load = async (slug: DocumentSlug, language: Language): Promise<MarkdownDocument> =>
  (await chunks[slug][language]()).default;

/** One document in one language. */
export const documentQuery = (slug: DocumentSlug, language: Language) =>
  queryOptions({
    queryKey: ['docs', slug, language],
    queryFn: () => load(slug, language),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** All documents of a language, in the order of the navigation. */
export const loadAllDocuments = (language: Language): Promise<[DocumentSlug, MarkdownDocument][]> =>
  Promise.all(
    documentSlugs.map(async (slug): Promise<[DocumentSlug, MarkdownDocument]> => [
      slug,
      await load(slug, language),
    ]),
  );
