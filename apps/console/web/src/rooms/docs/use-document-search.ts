import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../app/language.ts';
import { loadAllDocuments } from './load-document.ts';
import { indexSections, sectionsOf } from './search-index.ts';

/** Searches all documents in the language of the page. Their index is built when `enabled` is first true. */
export function useDocumentSearch(enabled: boolean) {
  const language = useTranslation().i18n.language as Language;
  return useQuery({
    queryKey: ['docs', 'search', language],
    queryFn: async () =>
      indexSections(
        (await loadAllDocuments(language)).flatMap(([slug, document]) => sectionsOf(slug, document)),
      ),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    // The result is a function.
    structuralSharing: false,
  });
}
