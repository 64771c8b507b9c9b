import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { pathOf } from '../app/paths.ts';
import { fewestCharacters, useMatches } from '../data/search.ts';
import type { FoundKind, SessionView } from '../data/types.ts';
import { excerptOf } from '../rooms/docs/search-index.ts';
import { useDocumentSearch } from '../rooms/docs/use-document-search.ts';
import type { NavigationItem } from './navigation.ts';

interface FoundItem {
  key: string;
  name: string;
  about?: string;
  open: () => void;
}

/** What the search shows below one heading. */
interface FoundGroup {
  label: string;
  items: FoundItem[];
}

/** The most pages of the console, and documents beside other kinds. */
const mostBesides = 5;

const listOf = (path: string, text: string) => `${path}?search=${encodeURIComponent(text)}`;

const pathOfKind: Record<FoundKind, (id: string) => string> = {
  order: pathOf.order,
  member: pathOf.member,
  webhook: pathOf.webhook,
  delivery: pathOf.delivery,
  event: (id) => listOf('/deliveries', id),
  // Several requests can have it.
  request: (id) => `/requests?request_id=${encodeURIComponent(id)}`,
};

/**
 * What a text means: in the data of the shop, the pages of the console and the documents. Without a session, in the documents only.
 * `shownText` is the one that the groups belong to; `pending`, while that is not `text` yet.
 */
export function useFound(text: string, session: SessionView | null, navigation: NavigationItem[]) {
  const { t } = useTranslation();
  const [location, navigate] = useLocation();
  const searches = text.length >= fewestCharacters;
  const matches = useMatches(text, session !== null);
  const documents = useDocumentSearch(searches);
  const ofShop = searches && session ? matches.data : undefined;
  const shownText = ofShop?.text ?? text;
  const inDocuments = location.startsWith('/docs');

  const groups: FoundGroup[] = (ofShop?.kinds ?? []).map(({ kind, items, more }) => {
    const all = kind === 'order' || kind === 'member' || kind === 'webhook' ? kind : undefined;
    const found = items.map(({ id, about }): FoundItem => ({
      key: id,
      ...(kind === 'webhook' ? { name: about } : { name: id, about: t(`search.about.${kind}`, { about }) }),
      open: () => navigate(pathOfKind[kind](id)),
    }));
    if (more && all)
      found.push({
        key: '',
        name: t(`search.all.${all}`, { text: shownText }),
        open: () => navigate(all === 'webhook' ? '/webhooks' : listOf(`/${all}s`, shownText)),
      });
    return { label: t(`search.kinds.${kind}`), items: found };
  });
  const pages = navigation
    .map(({ to, key }): FoundItem => ({ key: to, name: t(`nav.${key}`), open: () => navigate(to) }))
    .filter(({ name }) => name.toLowerCase().includes(shownText.toLowerCase()));
  const sections = (searches && documents.data?.(shownText)) || [];
  const ofDocuments = sections.slice(0, session ? mostBesides : undefined).map((section): FoundItem => ({
    key: section.path,
    name: [section.title, section.heading].filter(Boolean).join(' · '),
    about: excerptOf(section, shownText),
    open: () => {
      const [path, heading] = section.path.split('#');
      // In a new tab, so that input on this page stays; and the browser scrolls within a page.
      if (!inDocuments) window.open(section.path, '_blank', 'noopener');
      else if (path === location && heading) window.location.hash = heading;
      else navigate(section.path);
    },
  }));
  groups.push(
    { label: t('search.kinds.page'), items: shownText ? pages.slice(0, mostBesides) : pages },
    { label: t('search.kinds.document'), items: ofDocuments },
  );
  const ofData = session ? matches : documents;
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    shownText,
    pending: searches && (session ? matches.isFetching && matches.data?.text !== text : documents.isPending),
    error: searches ? ofData.error : null,
    retry: () => void ofData.refetch(),
  };
}
